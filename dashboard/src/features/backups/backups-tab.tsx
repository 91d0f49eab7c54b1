import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { Empty } from '../../components/feedback/empty.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { RunningWork, useRunningWork } from '../tenant/deployments/running-work.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { BackupPanel } from './backup-panel.tsx';
import { BackupTable } from './backup-table.tsx';
import styles from './backups.module.css';
import { backupsText } from './messages.ts';
import { backupsQuery } from './queries.ts';
import { ScheduleCard } from './schedule/schedule-card.tsx';
import { useCreateBackup } from './use-create-backup.ts';

const pageSize = 50;
/** Maximum that the manager returns at once. */
const maxShown = 500;

/** A tenant's backups; the one named in the URL is open in a side panel. */
export function BackupsTab() {
  const tenant = useTenant();
  const { id } = tenant;
  const { backupId } = useParams();
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const limit = Math.min(maxShown, Math.max(pageSize, Number(search.get('shown')) || 0));
  const { data, error } = useQuery(backupsQuery(id, limit));
  const work = useRunningWork(id);
  const operator = useHasRole('operator');
  const { create, underWay } = useCreateBackup(id);
  if (!data) return <Waiting error={error} />;
  const { backups, total } = data;
  if (!tenant.deployed_at && total === 0)
    return <Empty title={backupsText.notDeployedTitle} hint={backupsText.notDeployedHint} />;
  const begin = operator && tenant.deployed_at && (
    <Button variant="primary" onClick={create} disabled={underWay || work !== undefined}>
      {backupsText.create}
    </Button>
  );
  const { backup, drill, restore, other, watch } = backupsText.underWay;
  const texts = { backup, drill, restore }[work?.kind ?? ''] ?? other;
  return (
    <>
      <PagePart title={backupsText.title} hint={backupsText.hint}>
        {total > 0 && begin}
      </PagePart>
      <div className={styles.parts}>
        {work && <RunningWork work={work} texts={texts} watch={watch} />}
        <ScheduleCard tenantId={id} newest={backups} />
        {total === 0 ? (
          <Empty title={backupsText.emptyTitle} hint={backupsText.emptyHint}>
            {begin || <p>{backupsText.emptyViewer}</p>}
          </Empty>
        ) : (
          <BackupTable backups={backups} busy={work !== undefined} />
        )}
        {backups.length < Math.min(total, maxShown) && (
          <div>
            <Button onClick={() => setSearch({ shown: String(limit + pageSize) }, { replace: true })}>
              {backupsText.more(backups.length, total)}
            </Button>
          </div>
        )}
      </div>
      {backupId && (
        <BackupPanel
          backupId={backupId}
          work={work}
          onClose={() => void navigate({ pathname: `/tenants/${id}/backups`, search: search.toString() })}
        />
      )}
    </>
  );
}
