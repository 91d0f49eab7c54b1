import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DeploymentSummary, FullTenant } from '../../../api/client.ts';
import { deploymentsQuery, versionQuery } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { WorkBadge } from '../../../components/data/badge.tsx';
import { Facts } from '../../../components/data/facts.tsx';
import { duration, RelativeTime, Time } from '../../../components/data/time.tsx';
import { text } from '../../../lib/messages.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { AvailabilityCard } from '../../history/availability-card.tsx';
import { nodesQuery } from '../../system/nodes/queries.ts';
import { deploymentText, stepName } from '../deployments/messages.ts';
import { outcomeText } from '../deployments/outcome-messages.ts';
import { knownText } from '../diagnosis/causes.ts';
import { DiagnosisCard, useCause } from '../diagnosis/diagnosis-card.tsx';
import { causeText } from '../diagnosis/messages.ts';
import { tenantText } from '../messages.ts';
import { NextAction, siteOf } from '../next-action.tsx';
import styles from '../tenant.module.css';
import { useTenant } from '../tenant-page.tsx';
import { DangerZone } from './danger-zone.tsx';
import { HealthCard } from './health-card.tsx';
import { overviewText } from './messages.ts';
import { MoveCard } from './move-card.tsx';
import overview from './overview.module.css';
import { ProxyCard } from './proxy-card.tsx';
import { ServicesCard } from './services-card.tsx';
import { SyntheticCard } from './synthetic-card.tsx';

/** A tenant's state at a glance. */
export function OverviewTab() {
  const tenant = useTenant();
  const cause = useCause(tenant);
  return (
    <>
      {cause && <DiagnosisCard tenant={tenant} cause={cause} />}
      <div className={styles.grid}>
        <div className={styles.column}>
          {!cause && <NextAction tenant={tenant} />}
          <MoveCard tenant={tenant} />
          <HealthCard tenant={tenant} />
          {tenant.deployed_at && <SyntheticCard tenant={tenant} />}
          {tenant.deployed_at && <ServicesCard id={tenant.id} />}
        </div>
        <div className={styles.column}>
          <TenantFacts tenant={tenant} />
          {tenant.deployed_at && <AvailabilityCard id={tenant.id} />}
          <LastOperation tenant={tenant} />
          <ProxyCard tenant={tenant} />
        </div>
      </div>
      <DangerZone tenant={tenant} />
    </>
  );
}

const Out = ({ href }: { href: string }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {href.replace(/^https?:\/\//, '').replace(/\/$/, '')}
  </a>
);

function TenantFacts({ tenant }: { tenant: FullTenant }) {
  const operator = useHasRole('operator');
  const { data: version } = useQuery({ ...versionQuery(tenant.id), enabled: operator && tenant.git_repo !== null });
  const { deployed_commit: commit } = tenant;
  const running = (
    <>
      {tenant.version ?? (commit ? '' : tenantText.noVersion)}{' '}
      {commit && (
        <>
          <span className={styles.mono}>{commit.id.slice(0, 10)}</span>
          <div className={styles.fine}>
            {tenantText.commit(commit.subject, commit.author)}, <RelativeTime at={commit.date} />
          </div>
        </>
      )}
    </>
  );
  const { data: swarm } = useQuery({ ...nodesQuery, enabled: operator && tenant.deployed_at !== null });
  const nodes = swarm?.nodes.filter(({ tenants }) => tenants.includes(tenant.slug)).map(({ hostname }) => hostname);
  const { domain, api_domain, git_repo, created_at, deployed_at, notes } = tenant;
  return (
    <section className={parts.card}>
      <h2>{tenantText.facts}</h2>
      <Facts
        facts={{
          [tenantText.version]: tenant.deployed_at ? running : undefined,
          [tenantText.latest]: version?.latest_version,
          [tenantText.site]: <Address name={domain} written={tenant.written_domain} />,
          [tenantText.api]: <Address name={api_domain} written={tenant.written_api_domain} />,
          [tenantText.direct]: deployed_at && <Out href={siteOf(tenant)} />,
          [tenantText.node]: nodes?.length ? <Link to="/system/nodes">{nodes.join(', ')}</Link> : undefined,
          [tenantText.repository]: git_repo ? <span className={styles.mono}>{git_repo}</span> : tenantText.noRepository,
          [tenantText.created]: <Time at={created_at} />,
          [tenantText.deployed]: deployed_at ? <Time at={deployed_at} /> : text.never,
          [tenantText.notes]: notes,
        }}
      />
    </section>
  );
}

/** A host name, also as people write it, where that differs. */
const Address = ({ name, written }: { name: string; written: string | null }) => (
  <>
    <Out href={`https://${name}/`} />
    {written && <div className={styles.fine}>{written}</div>}
  </>
);

function LastOperation({ tenant }: { tenant: FullTenant }) {
  const { data } = useQuery(deploymentsQuery(tenant.id));
  const newest = data?.deployments[0];
  return (
    <section className={parts.card}>
      <div className={styles.cardHead}>
        <h2>{tenantText.lastOperation}</h2>
        {newest && <WorkBadge status={newest.status} />}
      </div>
      {newest ? (
        <>
          <p>
            <Link className={overview.work} to={`/tenants/${tenant.id}/deployments/${newest.id}`}>
              {deploymentText.kinds[newest.kind] ?? newest.kind} {newest.version ?? newest.ref ?? ''}
            </Link>{' '}
            <span className={styles.fine}>
              <RelativeTime at={newest.created_at} />
              {newest.started_at && newest.finished_at && `, ${overviewText.took} ${tookOf(newest)}`}
            </span>
          </p>
          {newest.error && newest.status === 'failed' && (
            <p className={overview.why}>
              {outcomeText.failedAt(stepName(newest.error.step))}:{' '}
              {(newest.error.cause && knownText(newest.error.cause, 'title')) ??
                causeText(newest.error.cause?.title ?? newest.error.message)}
            </p>
          )}
        </>
      ) : (
        <p className={styles.fine}>{tenantText.noDeployment}</p>
      )}
    </section>
  );
}

const tookOf = ({ started_at, finished_at }: DeploymentSummary): string =>
  duration((Date.parse(finished_at ?? '') - Date.parse(started_at ?? '')) / 1000);
