import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import type { Tenant } from '../../api/client.ts';
import { type Attention, attentionQuery, tenantsQuery } from '../../api/queries.ts';
import parts from '../../components/components.module.css';
import { RelativeTime, timeText } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PageHead } from '../../components/layout/page.tsx';
import { number } from '../../lib/figures.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { entryText } from '../audit-log/entry-text.ts';
import { FleetAvailability } from '../history/fleet-availability.tsx';
import { openIncidentsQuery } from '../incidents/queries.ts';
import { ChecklistCard } from '../setup/checklist-card.tsx';
import { statuses } from '../tenants/filter.ts';
import { AttentionList } from './attention-list.tsx';
import styles from './home.module.css';
import { homeText } from './messages.ts';
import { activityQuery } from './queries.ts';
import { versionSpread } from './version-spread.ts';
import { withIncidents } from './with-incidents.ts';

/** What needs attention, then the fleet at a glance. */
export function HomePage() {
  const { search } = useLocation();
  const { data, error } = useQuery(attentionQuery);
  const { data: open } = useQuery(openIncidentsQuery);
  const { data: tenants } = useQuery(tenantsQuery);
  const operator = useHasRole('operator');
  // The list of tenants was here, with its filters in the address.
  if (search) return <Navigate to={`/tenants${search}`} replace />;
  return (
    <>
      <PageHead title={homeText.title} />
      {error && data && <ErrorNote error={error} />}
      <div className={styles.home}>
        <div className={styles.main}>
          {tenants?.length === 0 && <ChecklistCard />}
          {data ? <AttentionList found={withIncidents(data, open?.incidents ?? [])} /> : <Waiting error={error} />}
          {data && <Checks periods={data.health} />}
          <FleetAvailability />
        </div>
        <div className={styles.side}>
          {tenants && tenants.length > 0 && (
            <>
              <ChecklistCard closed />
              <Fleet tenants={tenants} />
            </>
          )}
          {operator && <Activity />}
        </div>
      </div>
    </>
  );
}

/** A bar for each period; only bad ones stand out. */
function Checks({ periods }: { periods: Attention['health'] }) {
  const total = (count: 'checks' | 'unhealthy'): number => periods.reduce((sum, period) => sum + period[count], 0);
  const label = total('checks') === 0 ? homeText.noChecks : homeText.summary(total('checks'), total('unhealthy'));
  return (
    <section>
      <h2>{homeText.checks}</h2>
      <div className={styles.strip} role="img" aria-label={label}>
        {periods.map(({ at, checks, unhealthy }) => (
          <span
            key={at}
            data-state={checks === 0 ? 'none' : unhealthy === 0 ? 'good' : unhealthy * 2 < checks ? 'some' : 'bad'}
            title={homeText.period(timeText(at), checks, unhealthy)}
          />
        ))}
      </div>
      <p className={parts.fine}>{label}</p>
    </section>
  );
}

function Fleet({ tenants }: { tenants: readonly Tenant[] }) {
  const versions = versionSpread(tenants);
  return (
    <section>
      <h2>{homeText.fleet}</h2>
      <ul className={styles.figures}>
        {statuses
          .map((status) => ({ status, count: tenants.filter((tenant) => tenant.status === status).length }))
          .filter(({ count }) => count > 0)
          .map(({ status, count }) => (
            <li key={status}>
              <Link to={`/tenants?status=${status}`}>
                <b>{number(count)}</b> {homeText.figures[status](count)}
              </Link>
            </li>
          ))}
      </ul>
      {versions.length > 0 && (
        <>
          <h3>{homeText.versions}</h3>
          <div className={styles.spread} aria-hidden="true">
            {versions.map(({ version, count }, rank) => (
              <span key={version} data-rank={Math.min(rank, 4)} style={{ flexGrow: count } as CSSProperties} />
            ))}
          </div>
          <ul className={styles.legend}>
            {versions.map(({ version, count }, rank) => (
              <li key={version} data-rank={Math.min(rank, 4)}>
                <Link to={`/tenants?version=${encodeURIComponent(version)}`}>{homeText.version(version, count)}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Activity() {
  const { data, error } = useQuery(activityQuery);
  return (
    <section>
      <div className={styles.head}>
        <h2>{homeText.activity}</h2>
        <Link to="/journal">{homeText.all}</Link>
      </div>
      {!data && <Waiting error={error} lines={4} />}
      {data?.length === 0 && <p className={parts.fine}>{homeText.noActivity}</p>}
      <ol className={styles.activity}>
        {data?.map(({ id, message, tenant_slug, created_at }) => (
          <li key={id}>
            <span>{entryText(message)}</span>
            <span className={parts.fine}>
              {tenant_slug && `${tenant_slug}, `}
              <RelativeTime at={created_at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
