import type { MenuEntry } from '../../components/layout/menu.tsx';
import { useMay } from '../accounts/session/session.tsx';
import type { Asked } from './dialogs/backup-dialog.tsx';
import { download, useDownloads } from './download.ts';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';

/** What one may do with a backup; what has to wait for other work is there, and disabled. */
export function useDeeds(
  backup: Backup,
  { busy, ask }: { busy: boolean; ask: (what: Asked) => void },
): readonly MenuEntry[] {
  const operator = useMay('operator');
  const admin = useMay('admin');
  const loading = useDownloads()[backup.id];
  const { actions } = backupsText;
  const whole = backup.status === 'complete';
  return [
    ...(operator && whole ? [{ label: actions.drill, act: () => ask('drill'), disabled: busy }] : []),
    ...(operator && whole
      ? [{ label: actions.download, act: () => void download(backup), disabled: loading !== undefined }]
      : []),
    ...(admin && whole ? [{ label: actions.restore, act: () => ask('restore'), disabled: busy }] : []),
    ...(admin && backup.status !== 'creating'
      ? [{ label: actions.remove, act: () => ask('remove'), bad: true, disabled: busy }]
      : []),
  ];
}
