import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { FullTenant } from '../api/client.ts';
import { deploymentsQuery, versionQuery } from '../api/queries.ts';
import { WorkBadge } from '../parts/badge.tsx';
import parts from '../parts/parts.module.css';
import { Time } from '../parts/time.tsx';
import { text } from '../text/en.ts';
import { HealthCard } from './health-card.tsx';
import { NextAction, siteOf } from './next-action.tsx';
import styles from './tenant.module.css';
import { useTenant } from './tenant-page.tsx';

export function OverviewTab() {
  const tenant = useTenant();
  return (
    <div className={styles.grid}>
      <div className={styles.column}>
        <NextAction tenant={tenant} />
        <Facts tenant={tenant} />
      </div>
      <div className={styles.column}>
        <HealthCard tenant={tenant} />
        <LastDeployment tenant={tenant} />
      </div>
    </div>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const Out = ({ href }: { href: string }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {href.replace(/^https?:\/\//, '').replace(/\/$/, '')}
  </a>
);

function Facts({ tenant }: { tenant: FullTenant }) {
  const { data: version } = useQuery({ ...versionQuery(tenant.id), enabled: tenant.git_repo !== null });
  const { deployed_version: deployed, deployed_commit: commit, latest_version: latest } = version ?? {};
  return (
    <section className={parts.card}>
      <h2>{text.tenant.facts}</h2>
      <dl className={styles.facts}>
        <Fact name={text.tenant.version}>
          {deployed ?? (commit ? '' : text.none)} {commit && <span className={styles.mono}>{commit.slice(0, 10)}</span>}
        </Fact>
        {latest && <Fact name={text.tenant.latest}>{latest}</Fact>}
        <Fact name={text.tenant.site}>
          <Out href={`https://${tenant.domain}/`} />
        </Fact>
        <Fact name={text.tenant.api}>
          <Out href={`https://${tenant.api_domain}/`} />
        </Fact>
        {tenant.deployed_at && (
          <Fact name={text.tenant.direct}>
            <Out href={siteOf(tenant)} />
          </Fact>
        )}
        <Fact name={text.tenant.repository}>
          {tenant.git_repo ? <span className={styles.mono}>{tenant.git_repo}</span> : text.none}
        </Fact>
        <Fact name={text.tenant.created}>
          <Time at={tenant.created_at} />
        </Fact>
        <Fact name={text.tenant.deployed}>{tenant.deployed_at ? <Time at={tenant.deployed_at} /> : text.never}</Fact>
        {tenant.notes && <Fact name={text.tenant.notes}>{tenant.notes}</Fact>}
      </dl>
    </section>
  );
}

function LastDeployment({ tenant }: { tenant: FullTenant }) {
  const { data } = useQuery(deploymentsQuery(tenant.id));
  const newest = data?.deployments[0];
  return (
    <section className={parts.card}>
      <div className={styles.cardHead}>
        <h2>{text.tenant.lastDeployment}</h2>
        {newest && <WorkBadge status={newest.status} />}
      </div>
      {newest ? (
        <p>
          <Link to={`/tenants/${tenant.id}/deployments/${newest.id}`}>
            {text.deployment.kinds[newest.kind] ?? newest.kind} {newest.version ?? ''}
          </Link>{' '}
          <span className={styles.fine}>
            <Time at={newest.created_at} />
          </span>
        </p>
      ) : (
        <p className={styles.fine}>{text.tenant.noDeployment}</p>
      )}
    </section>
  );
}
