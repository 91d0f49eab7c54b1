import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { timeText } from '../../components/data/time.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { Menu } from '../../components/layout/menu.tsx';
import { useDeeds } from './actions.ts';
import { type Asked, BackupDialog } from './dialogs/backup-dialog.tsx';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';

/** What can be done with a backup, by one's role and its state. */
export function BackupMenu({ backup, busy }: { backup: Backup; busy: boolean }) {
  const { id, tenant_id, created_at } = backup;
  const [asked, setAsked] = useState<Asked>();
  const navigate = useNavigate();
  const { search } = useLocation();
  const deeds = useDeeds(backup, { busy, ask: setAsked });
  const open = (): void => void navigate({ pathname: `/tenants/${tenant_id}/backups/${id}`, search });
  return (
    <>
      <Menu
        label={backupsText.actionsOf(timeText(created_at))}
        trigger={<Icon name="more" />}
        entries={[{ label: backupsText.actions.open, act: open }, ...deeds]}
      />
      {asked && <BackupDialog what={asked} backup={backup} onClose={() => setAsked(undefined)} />}
    </>
  );
}
