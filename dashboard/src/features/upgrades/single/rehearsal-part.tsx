import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useStream } from '../../../api/live.ts';
import { deploymentQuery, queryClient } from '../../../api/queries.ts';
import { Time } from '../../../components/data/time.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { apiText } from '../../../lib/api-text.ts';
import { isInProgress } from '../../tenant/deployments/running-work.tsx';
import { upgradeText } from './messages.ts';
import { reportQuery } from './queries.ts';
import { RehearsalReport } from './rehearsal-report.tsx';
import styles from './upgrade.module.css';

interface RehearsalPartProps {
  tenantId: string;
  rehearsalId: string | undefined;
  /** The user opened it; otherwise it is shown while it is useful. */
  asked: boolean;
  /** The version that runs. */
  runs: string | null;
}

/** The result of the newest rehearsal, or of the one named in the URL. */
export function RehearsalPart({ tenantId, rehearsalId, asked, runs }: RehearsalPartProps) {
  const id = rehearsalId ?? '';
  const there = rehearsalId !== undefined;
  const { data: work } = useQuery({ ...deploymentQuery(id), enabled: there });
  const { data: report, error } = useQuery({ ...reportQuery(tenantId, id), enabled: there });
  useStream(work && isInProgress(work) ? { stream: 'deployment', id } : undefined, ({ type }) => {
    if (type === 'complete') void queryClient.invalidateQueries({ queryKey: ['deployment', id] });
  });
  if (asked && error) return <ErrorNote error={error} />;
  if (!work || !report || isInProgress(work)) return null;
  const { rehearsed, failure, new_version } = report;
  // It was for another version than the running one.
  const isPast = (new_version !== null && new_version === runs) || rehearsed?.previous_version !== runs;
  if (!asked && isPast) return null;
  return (
    <section>
      <PagePart
        title={upgradeText.report.title(new_version ?? upgradeText.head)}
        hint={
          <>
            <Time at={work.created_at} /> · <Link to={`/tenants/${tenantId}/deployments/${id}`}>{upgradeText.log}</Link>
          </>
        }
      />
      <div className={styles.parts}>
        {rehearsed && <RehearsalReport report={rehearsed} />}
        {failure && (
          <Note tone="warn" title={upgradeText.report.broken}>
            {apiText(upgradeText.report.worded, failure.reason)}
          </Note>
        )}
      </div>
    </section>
  );
}
