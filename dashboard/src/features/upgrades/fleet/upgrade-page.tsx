import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { ApiError } from '../../../api/api-error.ts';
import parts from '../../../components/components.module.css';
import { Facts } from '../../../components/data/facts.tsx';
import { Progress } from '../../../components/data/progress.tsx';
import { duration, Time } from '../../../components/data/time.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { BackLink, PageHead } from '../../../components/layout/page.tsx';
import { useNow } from '../../../hooks/use-now.ts';
import { apiText } from '../../../lib/api-text.ts';
import { number } from '../../../lib/figures.ts';
import { NotFound } from '../../../shell/not-found.tsx';
import { FleetActions } from './fleet-actions.tsx';
import { upgradesText } from './messages.ts';
import { type Fleet, fleetQuery } from './queries.ts';
import { Rings } from './rings.tsx';
import { FleetBadge } from './upgrade-badges.tsx';
import styles from './upgrades.module.css';
import { useNames } from './use-names.ts';

const words = upgradesText.one;

/** A fleet upgrade, live ring by ring. */
export function UpgradePage() {
  const { upgradeId = '' } = useParams();
  const { data: fleet, error } = useQuery(fleetQuery(upgradeId));
  const names = useNames();
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!fleet) return <Waiting error={error} />;
  const { status, counts, reason } = fleet;
  const planned = counts.total - fleet.tenants.filter(({ ring }) => ring === null).length;
  const over = planned - counts.waiting - counts.upgrading;
  return (
    <>
      <BackLink to="/upgrades">{words.back}</BackLink>
      <PageHead
        title={words.title(fleet.target_version)}
        hint={
          <>
            <Time at={fleet.created_at} /> · {words.asked(fleet.created_by)}
          </>
        }
      >
        <FleetActions fleet={fleet} />
      </PageHead>
      {status === 'halted' && (
        <div className={`${parts.note} ${styles.halt}`} role="alert">
          <strong>{words.halted}</strong>
          <span className={styles.reason}>{withNames(apiText(upgradesText.reasons, reason ?? ''), fleet, names)}</span>
          <span className={parts.fine}>{words.haltedHint}</span>
        </div>
      )}
      {status === 'paused' && (
        <div className={styles.pausedNote} role="status">
          <strong>{words.paused}</strong>
          <span>{words.pausedHint}</span>
        </div>
      )}
      <div className={styles.overview}>
        <section className={parts.card} aria-label={words.progress}>
          <div className={styles.state}>
            <span role="status">
              <FleetBadge status={status} failed={counts.failed} />
            </span>
            <span className={styles.figures}>{words.ended(over, planned)}</span>
          </div>
          <Progress label={words.progress} percent={planned === 0 ? 100 : (100 * over) / planned} />
          <p className={styles.counts}>
            {(['failed', 'upgrading', 'succeeded', 'waiting', 'skipped'] as const).map(
              (state) => counts[state] > 0 && <span key={state}>{words.counts[state](counts[state])}</span>,
            )}
          </p>
          <NextRing fleet={fleet} />
        </section>
        <section className={parts.card}>
          <h2>{words.facts}</h2>
          <Facts facts={factsOf(fleet)} />
        </section>
      </div>
      <Rings fleet={fleet} />
    </>
  );
}

/** The reason of a halt, with the names of the tenants that failed instead of their short names. */
function withNames(reason: string, { tenants }: Fleet, names: ReadonlyMap<string, string>): string {
  const failed = tenants.filter(({ status }) => status === 'failed');
  return failed.reduce(
    (text, { tenant_id, slug }) => text.replace(`${slug}: `, () => `${names.get(tenant_id) ?? slug}: `),
    reason,
  );
}

/** How long until the next ring, while the pause before it runs. */
function NextRing({ fleet: { status, next_ring_at } }: { fleet: Fleet }) {
  const waits = status === 'running' && next_ring_at !== null;
  const now = useNow(waits);
  if (!waits) return null;
  const seconds = (Date.parse(next_ring_at) - now) / 1000;
  if (seconds <= 0) return <p className={styles.next}>{words.nextRingNow}</p>;
  return (
    <p className={styles.next}>
      {words.nextRing} {duration(seconds)} (<Time at={next_ring_at} />)
    </p>
  );
}

function factsOf(fleet: Fleet) {
  const yes = (is: boolean): string => (is ? words.yes : words.no);
  return {
    [words.maxFailures]: number(fleet.max_failures),
    [words.pauseBetween]: upgradesText.form.pauses[fleet.pause_between_s] ?? duration(fleet.pause_between_s),
    [words.backup]: yes(fleet.backup_db),
    [words.migrations]: yes(fleet.run_migrations),
    [words.retryFailed]: fleet.retry_failed ? words.yes : undefined,
    [words.began]: fleet.started_at && <Time at={fleet.started_at} />,
    [words.over]: fleet.finished_at && <Time at={fleet.finished_at} />,
  };
}
