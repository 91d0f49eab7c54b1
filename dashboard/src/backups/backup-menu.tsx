import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { timeText } from '../parts/time.tsx';
import { backupsText } from '../text/backups.ts';
import { type Asked, BackupDialog } from './backup-dialog.tsx';
import { useDeeds } from './deeds.ts';
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
