import { useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { sizeText } from '../../components/data/size.ts';
import { Time, timeText } from '../../components/data/time.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { Menu } from '../../components/layout/menu.tsx';
import { figure } from '../../lib/figures.ts';
import { useBackupActions } from './actions.ts';
import { BackupState } from './backup-state.tsx';
import styles from './backups.module.css';
import { BackupDialog, type PendingAction } from './dialogs/backup-dialog.tsx';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';
import { rowsOf } from './rows.ts';

/** @param busy other work is under way at the tenant: what needs it alone has to wait */
export function BackupTable({ backups, busy }: { backups: readonly Backup[]; busy: boolean }) {
  const { search } = useLocation();
  const { made, kind, version, size, rows, state, actions } = backupsText.columns;
  const columns: Column<Backup>[] = [
    {
      name: made,
      cell: ({ id, tenant_id, created_at }) => (
        <Link to={{ pathname: `/tenants/${tenant_id}/backups/${id}`, search }}>
          <Time at={created_at} />
        </Link>
      ),
    },
    { name: state, cell: (backup) => <BackupState backup={backup} /> },
    { name: kind, cell: (backup) => backupsText.kinds[backup.kind] },
    {
      name: version,
      cell: (backup) => backup.version ?? <span className={styles.mono}>{backup.commit.slice(0, 10)}</span>,
    },
    {
      name: size,
      kind: 'figure',
      cell: ({ size_bytes }) => (size_bytes === null ? '' : sizeText(size_bytes)),
    },
    { name: rows, kind: 'figure', cell: (backup) => figure(rowsOf(backup)) },
    {
      name: actions,
      kind: 'action',
      cell: (backup) => <BackupMenu backup={backup} busy={busy} />,
    },
  ];
  return <DataTable label={backupsText.title} columns={columns} rows={backups} keyOf={({ id }) => id} />;
}

/** A backup's actions, by the user's role and its state. */
function BackupMenu({ backup, busy }: { backup: Backup; busy: boolean }) {
  const { id, tenant_id, created_at } = backup;
  const [asked, setAsked] = useState<PendingAction>();
  const navigate = useNavigate();
  const { search } = useLocation();
  const actions = useBackupActions(backup, { busy, ask: setAsked });
  const open = (): void => void navigate({ pathname: `/tenants/${tenant_id}/backups/${id}`, search });
  return (
    <>
      <Menu
        label={backupsText.actionsOf(timeText(created_at))}
        trigger={<Icon name="more" />}
        entries={[{ label: backupsText.actions.open, act: open }, ...actions]}
      />
      {asked && <BackupDialog what={asked} backup={backup} onClose={() => setAsked(undefined)} />}
    </>
  );
}
