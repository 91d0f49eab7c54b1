import { useMutation } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import type { MenuEntry } from '../../components/layout/menu.tsx';
import { download } from '../../lib/save-file.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import type { PendingAction } from './dialogs/backup-dialog.tsx';
import { backupsText } from './messages.ts';
import { type Backup, refreshBackups } from './queries.ts';

/** The user's actions on a backup; those that must wait for other work are disabled. */
export function useBackupActions(
  backup: Backup,
  { busy, ask }: { busy: boolean; ask: (what: PendingAction) => void },
): readonly MenuEntry[] {
  const operator = useHasRole('operator');
  const admin = useHasRole('admin');
  const load = useMutation({
    // A file that is in the bucket alone is fetched back first: that can take minutes.
    onMutate: () => notify(backupsText.downloading),
    mutationFn: () => download(`/api/tenants/${backup.tenant_id}/backups/${backup.id}/download`),
    onError: notifyError,
  });
  const confirm = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/tenants/{id}/backups/{backup_id}/confirm-loss', {
          params: { path: { id: backup.tenant_id, backup_id: backup.id } },
        }),
      ),
    onSuccess: () => refreshBackups(backup.tenant_id),
    onError: notifyError,
  });
  const { actions } = backupsText;
  const whole = backup.status === 'complete';
  return [
    ...(operator && backup.loss?.confirmed_by === null
      ? [{ label: actions.confirm, act: () => confirm.mutate(), disabled: confirm.isPending }]
      : []),
    ...(operator && whole ? [{ label: actions.drill, act: () => ask('drill'), disabled: busy }] : []),
    ...(operator && whole ? [{ label: actions.download, act: () => load.mutate(), disabled: load.isPending }] : []),
    ...(admin && whole ? [{ label: actions.restore, act: () => ask('restore'), disabled: busy }] : []),
    ...(admin && backup.status !== 'creating'
      ? [{ label: actions.remove, act: () => ask('remove'), bad: true, disabled: busy }]
      : []),
  ];
}
