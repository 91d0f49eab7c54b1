import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, dataOf, type FullTenant, type HealthReport } from '../../../api/client.ts';
import { useStream } from '../../../api/live.ts';
import { healthQuery, queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { RelativeTime, Time } from '../../../components/data/time.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { number } from '../../../lib/figures.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { causeText } from '../diagnosis/messages.ts';
import { tenantText } from '../messages.ts';
import tenantStyles from '../tenant.module.css';
import { healthChange, overviewText } from './messages.ts';
import styles from './overview.module.css';
import { healthChangesQuery, healthHistoryQuery } from './queries.ts';
import { drawTimes, summaryOf } from './times.ts';

/** Each check of a tenant as it was found last, and how fast it answered before. */
export function HealthCard({ tenant }: { tenant: FullTenant }) {
  const { id } = tenant;
  const stopped = tenant.status === 'stopped' && tenant.deployed_at !== null;
  const deployed = tenant.deployed_at !== null && !stopped;
  const operator = useHasRole('operator');
  const { data: health, error } = useQuery({ ...healthQuery(id), enabled: deployed });
  const { data: history } = useQuery({ ...healthHistoryQuery(id), enabled: deployed });
  useFollowedHealth(deployed ? id : undefined);
  const check = useMutation({
    mutationFn: () => dataOf(api.POST('/api/tenants/{id}/health-check', { params: { path: { id } } })),
    onSuccess(report) {
      queryClient.setQueryData(healthQuery(id).queryKey, report);
      void queryClient.invalidateQueries({ queryKey: ['health', id, 'history'] });
      void queryClient.invalidateQueries({ queryKey: ['tenant', id] });
    },
    onError: notifyError,
  });
  const past = history?.checks ?? [];
  return (
    <section className={parts.card}>
      <div className={tenantStyles.cardHead}>
        <h2>{tenantText.healthTitle}</h2>
        {deployed && operator && (
          <Button onClick={() => check.mutate()} disabled={check.isPending}>
            {tenantText.checkNow}
          </Button>
        )}
      </div>
      {!deployed && <p className={styles.fine}>{stopped ? tenantText.notChecked : tenantText.notDeployed}</p>}
      {stopped && operator && <HealthChanges id={id} />}
      {deployed && !health && <Waiting error={error} />}
      {health && error && <ErrorNote error={error} />}
      {deployed && health && (
        <>
          <ul className={styles.checks}>
            {Object.entries(health.checks).map(([name, one]) => (
              <Check key={name} name={name} check={one} past={past} />
            ))}
          </ul>
          <p className={styles.fine}>
            {tenantText.lastCheck}: <RelativeTime at={health.last_check} />
            {past.length > 1 && past[0] && (
              <>
                {' · '}
                {overviewText.responseTimes}: {overviewText.checksSince(past.length)} <Time at={past[0].at} />
              </>
            )}
          </p>
          {operator && <HealthChanges id={id} />}
        </>
      )}
    </section>
  );
}

type Checks = HealthReport['checks'];
interface Past {
  frontend_ms: number | null;
  backend_ms: number | null;
  proxy_ms: number | null;
}

const timesOf: Record<string, (past: Past) => number | null> = {
  frontend: ({ frontend_ms }) => frontend_ms,
  backend: ({ backend_ms }) => backend_ms,
  proxy: ({ proxy_ms }) => proxy_ms,
};

interface CheckProps {
  name: string;
  check: NonNullable<Checks[keyof Checks]>;
  past: readonly Past[];
}

function Check({ name, check, past }: CheckProps) {
  const good =
    'status' in check
      ? check.status === 'up' || check.status === 'healthy'
      : check.frontend_service === 'active' && check.backend_service === 'active';
  const word = 'status' in check ? check.status : good ? 'active' : 'inactive';
  const state = 'step' in check ? overviewText.synthetic.states[good ? 'passed' : 'failed'] : tenantText.states[word];
  const times = timesOf[name];
  const label = tenantText.checks[name] ?? name;
  return (
    <li>
      <span>{label}</span>
      <span className={styles.line}>
        {times && past.length > 1 && <Sparkline name={label} times={past.map(times)} />}
      </span>
      <span className={styles.figure}>{figureOf(check)}</span>
      <span className={`${styles.state} ${good ? styles.good : styles.bad}`}>{state}</span>
      {check.error && <span className={styles.why}>{causeText(check.error)}</span>}
    </li>
  );
}

function figureOf(check: CheckProps['check']): string {
  if ('response_time_ms' in check) return check.response_time_ms === null ? '' : `${number(check.response_time_ms)} ms`;
  if ('duration_ms' in check) return `${number(check.duration_ms)} ms`;
  return 'size_mb' in check && check.size_mb !== null ? `${number(check.size_mb, 2)} MB` : '';
}

/** Events within this time (a stream's replay) count as one. Milliseconds. */
const gatherFor = 300;

/** Reads a tenant's health again after each check. */
function useFollowedHealth(id: string | undefined): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useStream(id ? { stream: 'health', id } : undefined, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: ['health', id] });
    }, gatherFor);
  });
}

/** A tenant's latest health changes; stored, unlike response times. */
function HealthChanges({ id }: { id: string }) {
  const { data } = useQuery(healthChangesQuery(id));
  if (!data) return null;
  return (
    <div className={styles.changes}>
      <h3>{overviewText.changes}</h3>
      {data.logs.length === 0 && <p className={styles.fine}>{overviewText.noChanges}</p>}
      <ul>
        {data.logs.map((entry) => (
          <li key={entry.id}>
            <span>{healthChange(entry.message.replace(/^Health of \S+: /, ''))}</span>
            <Time at={entry.created_at} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const width = 160;
const height = 26;

/** A sparkline of response times; a bar marks a check without an answer. */
function Sparkline({ name, times }: { name: string; times: readonly (number | null)[] }) {
  const { line, gaps } = drawTimes(times, width, height);
  return (
    <svg
      width={160}
      height={30}
      className={styles.spark}
      role="img"
      aria-label={overviewText.line(name, summaryOf(times))}
      viewBox={`-2 -2 ${width + 4} ${height + 4}`}
      preserveAspectRatio="none"
    >
      <line className={styles.floor} x1={0} x2={width} y1={height} y2={height} />
      {gaps.map((x) => (
        <line key={x} className={styles.silent} x1={x} x2={x} y1={height * 0.25} y2={height} />
      ))}
      <path className={styles.times} d={line} />
    </svg>
  );
}
