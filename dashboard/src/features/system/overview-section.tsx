import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api/client.ts';
import parts from '../../components/components.module.css';
import { Badge, HealthBadge, StatusBadge } from '../../components/data/badge.tsx';
import { Facts } from '../../components/data/facts.tsx';
import { sizeText } from '../../components/data/size.ts';
import { duration, Time } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { notifyError } from '../../components/feedback/toasts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { figure } from '../../lib/figures.ts';
import { saveAnswer } from '../../lib/save-file.ts';
import { statuses } from '../tenants/filter.ts';
import { DiskCard } from './disk-card.tsx';
import { HealthSummary } from './health-summary.tsx';
import { systemText as words } from './messages.ts';
import { type SystemOverview, systemQuery } from './queries.ts';
import styles from './system.module.css';

/** The manager's dependencies and their state. */
export function OverviewSection() {
  const { data: system, error } = useQuery(systemQuery);
  if (!system) return <Waiting error={error} />;
  return (
    <>
      <ErrorNote error={error} />
      <HealthSummary system={system} />
      <div className={styles.grid}>
        <TenantsCard system={system} />
        <EngineCard system={system} />
        <DiskCard />
        <DatabaseCard system={system} />
        <ManagerCard system={system} />
        <MetricsCard system={system} />
      </div>
    </>
  );
}

interface Of {
  system: SystemOverview;
}

const TenantsCard = ({ system: { tenants, operations, imports } }: Of) => (
  <section className={parts.card}>
    <h2>{words.tenants}</h2>
    {tenants.total === 0 && <p className={styles.fine}>{words.noTenants}</p>}
    <ul className={styles.counts}>
      {statuses
        .filter((status) => tenants.by_status[status])
        .map((status) => (
          <li key={status}>
            <Link to={`/tenants?status=${status}`}>{figure(tenants.by_status[status])}</Link>
            <StatusBadge status={status} />
          </li>
        ))}
      {(['unhealthy', 'degraded'] as const)
        .filter((health) => tenants.running_by_health[health])
        .map((health) => (
          <li key={health}>
            <Link to={`/tenants?status=running&health=${health}`}>{figure(tenants.running_by_health[health])}</Link>
            <HealthBadge tenant={{ status: 'running', health_status: health }} />
          </li>
        ))}
    </ul>
    <h3 className={styles.sub}>{words.work}</h3>
    <Facts
      facts={{
        [words.operations]: words.queue(operations.running, operations.queued),
        [words.imports]: words.queue(imports.running, imports.queued),
      }}
    />
  </section>
);

const EngineCard = ({ system: { runtime } }: Of) => (
  <section className={parts.card}>
    <h2>{words.engine}</h2>
    <Facts
      facts={{
        [words.state]: runtime.available ? (
          <Badge tone="good">{words.reachable}</Badge>
        ) : (
          <Badge tone="bad">{words.away}</Badge>
        ),
        [words.runs]: words.kinds[runtime.kind] ?? runtime.kind,
        [runtime.available ? words.version : words.reason]: runtime.detail,
      }}
    />
  </section>
);

const DatabaseCard = ({ system: { store } }: Of) => (
  <section className={parts.card}>
    <h2>{words.database}</h2>
    <Facts
      facts={{
        [words.state]: <Badge tone="good">{words.reachable}</Badge>,
        [words.kind]: words.dialects[store.dialect],
        [words.version]: store.version,
        [words.size]: sizeText(store.size_bytes),
        [words.schema]: <span className={styles.mono}>{store.schema}</span>,
      }}
    />
  </section>
);

const ManagerCard = ({ system: { version, node, started_at, memory_bytes } }: Of) => (
  <section className={parts.card}>
    <h2>{words.manager}</h2>
    <Facts
      facts={{
        [words.version]: version,
        [words.node]: node,
        [words.running]: lasting((Date.now() - Date.parse(started_at)) / 1_000),
        [words.since]: <Time at={started_at} />,
        [words.memory]: sizeText(memory_bytes),
      }}
    />
  </section>
);

/** A link can’t carry the session’s proof: the page fetches the metrics, or a client with a token does. */
const MetricsCard = ({ system: { metrics_token } }: Of) => (
  <section className={parts.card}>
    <div className={styles.cardHead}>
      <h2>{words.metrics}</h2>
      <Button
        onClick={() =>
          void saveAnswer(api.GET('/metrics', { parseAs: 'blob' }), 'tenantry-metrics.txt').catch(notifyError)
        }
      >
        {words.saveMetrics}
      </Button>
    </div>
    <p className={styles.fine}>{words.metricsHint}</p>
    <Facts
      facts={{
        [words.address]: <span className={styles.mono}>{`${location.origin}/metrics`}</span>,
        [words.metricsToken]: metrics_token ? words.metricsTokenSet : words.metricsTokenNone,
      }}
    />
  </section>
);

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A long time, in its two largest units: 3 d 4 h. Seconds. */
function lasting(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < hour) return duration(whole);
  if (whole < day) return `${Math.floor(whole / hour)} h ${Math.floor((whole % hour) / minute)} min`;
  return `${Math.floor(whole / day)} d ${Math.floor((whole % day) / hour)} h`;
}
