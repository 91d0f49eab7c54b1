import { api, dataOf } from '../../../api/client.ts';
import { timeText } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { backupsText } from '../messages.ts';
import { type Backup, refreshBackups } from '../queries.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** The confirmation of an action. */
export type PendingAction = 'drill' | 'restore' | 'remove';

interface BackupDialogProps {
  what: PendingAction;
  backup: Backup;
  onClose(): void;
  onRemoved?: () => void;
}

export function BackupDialog({ what, backup, onClose, onRemoved }: BackupDialogProps) {
  const { id: backup_id, tenant_id: id, created_at } = backup;
  const path = { id, backup_id };
  if (what === 'restore') return <RestoreDialog backup={backup} onClose={onClose} />;
  if (what === 'drill')
    return (
      <Confirm
        title={backupsText.drill.title}
        hint={backupsText.drill.hint}
        submit={backupsText.drill.submit}
        act={() =>
          dataOf(
            api.POST('/api/tenants/{id}/backups/{backup_id}/verify', { params: { path, query: { wait: 'false' } } }),
          )
        }
        onDone={() => {
          notify(backupsText.drill.started);
          refreshBackups(id);
        }}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      bad
      title={backupsText.remove.title}
      hint={backupsText.remove.hint(timeText(created_at))}
      submit={backupsText.remove.submit}
      act={() => dataOf(api.DELETE('/api/tenants/{id}/backups/{backup_id}', { params: { path } }))}
      onDone={() => {
        notify(backupsText.remove.done);
        onRemoved?.();
        refreshBackups(id);
      }}
      onClose={onClose}
    />
  );
}
