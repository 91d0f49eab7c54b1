import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useOutletContext, useParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import type { FullTenant } from '../../api/client.ts';
import { tenantQuery } from '../../api/queries.ts';
import { Badge, HealthBadge, StatusBadge } from '../../components/data/badge.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { BackLink, type SectionLink, Sections } from '../../components/layout/page.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { text } from '../../lib/messages.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { OpenIncident } from '../incidents/incident-item.tsx';
import { historyQuery } from '../lists/queries.ts';
import { Tags } from '../tenants/list/tags.tsx';
import { useControlling } from '../tenants/tenant-actions.ts';
import { TenantMenu } from '../tenants/tenant-menu.tsx';
import { DeployButton } from './deployments/deploy-button.tsx';
import { stepName } from './deployments/messages.ts';
import { useRunningWork } from './deployments/running-work.tsx';
import { tenantText } from './messages.ts';
import styles from './tenant.module.css';

export const useTenant = (): FullTenant => useOutletContext<FullTenant>();

/** The sections of a tenant's page that a role may open. */
export const sectionsOf = (id: string, operator: boolean): SectionLink[] => [
  { to: `/tenants/${id}`, name: tenantText.overview, icon: 'overview', end: true },
  { to: `/tenants/${id}/deployments`, name: tenantText.deployments, icon: 'deploy' },
  { to: `/tenants/${id}/lists`, name: tenantText.lists, icon: 'list' },
  { to: `/tenants/${id}/configuration`, name: tenantText.configuration, icon: 'configuration' },
  { to: `/tenants/${id}/logs`, name: tenantText.logs, icon: 'logs' },
  { to: `/tenants/${id}/metrics`, name: tenantText.metrics, icon: 'metrics' },
  { to: `/tenants/${id}/timeline`, name: tenantText.timeline, icon: 'timeline' },
  { to: `/tenants/${id}/theme`, name: tenantText.theme, icon: 'theme' },
  { to: `/tenants/${id}/backups`, name: tenantText.backups, icon: 'backup' },
  ...(operator
    ? [{ to: `/tenants/${id}/upgrade`, name: tenantText.upgrade, icon: 'upgrade' } satisfies SectionLink]
    : []),
];

/** A tenant's running operation, or else its state. */
function TenantBadges({ tenant }: { tenant: FullTenant }) {
  const work = useRunningWork(tenant.id);
  const doing = tenantText.doing[useControlling(tenant.id) ?? work?.kind ?? ''];
  if (doing)
    return (
      <>
        <span role="status">
          <Badge tone="busy">{work?.status === 'queued' ? text.work.queued : doing}</Badge>
        </span>
        {work && (
          <Link to={`/tenants/${tenant.id}/deployments/${work.id}`} className={styles.fine}>
            {work.current_step ? stepName(work.current_step) : tenantText.watch}
          </Link>
        )}
      </>
    );
  return (
    <>
      <StatusBadge status={tenant.status} />
      {tenant.status !== 'stopped' && tenant.status !== 'pending' && <HealthBadge tenant={tenant} />}
    </>
  );
}

/** The list that is being imported into a tenant. */
function RunningImport({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(historyQuery(tenantId, 0));
  const job = data?.jobs.find(({ status }) => status === 'importing');
  if (!job) return null;
  return (
    <>
      <span role="status">
        <Badge tone="busy">{tenantText.importing}</Badge>
      </span>
      <Link to={`/tenants/${tenantId}/lists/${job.id}`} className={styles.fine}>
        {plainText(job.filename)}
      </Link>
    </>
  );
}

/** The version that is deployed, with its commit's subject and author. */
function Running({ tenant: { version, deployed_commit: commit } }: { tenant: FullTenant }) {
  if (!version && !commit) return null;
  return (
    <span className={`${styles.fine} ${styles.running}`}>
      {version ?? <span className={styles.mono}>{commit?.id.slice(0, 7)}</span>}
      {commit && ` ${tenantText.commit(commit.subject, commit.author)}`}
    </span>
  );
}

export function TenantPage() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const operator = useHasRole('operator');
  const { data: tenant, error } = useQuery(tenantQuery(id));
  const { pathname } = useLocation();
  const section = sectionsOf(id, operator).find(
    ({ to }) => pathname === to || (pathname.startsWith(`${to}/`) && to !== `/tenants/${id}`),
  )?.name;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!tenant) return <Waiting error={error} />;
  return (
    <>
      <title>{`${section ? `${section} · ` : ''}${tenant.name} · ${text.product}`}</title>
      <BackLink to="/tenants">{text.tenants}</BackLink>
      <div className={styles.head}>
        <h1>{tenant.name}</h1>
        <div className={styles.actions}>
          {tenant.deployed_at && tenant.git_repo && <DeployButton tenant={tenant} />}
          <TenantMenu tenant={tenant} onDeleted={() => void navigate('/tenants')} />
        </div>
      </div>
      <div className={styles.badges}>
        <TenantBadges tenant={tenant} />
        {tenant.deployed_at && <RunningImport tenantId={tenant.id} />}
        {tenant.deployed_at && (
          <a href={`https://${tenant.domain}/`} target="_blank" rel="noreferrer" className={styles.fine}>
            {tenant.domain}
          </a>
        )}
        <Running tenant={tenant} />
        {tenant.tags.length > 0 && <Tags names={tenant.tags} />}
        <span className={`${styles.fine} ${styles.slug}`}>{tenant.slug}</span>
        {operator && (
          <Link to={`/journal?tenant=${id}`} className={styles.fine}>
            {text.journal}
          </Link>
        )}
      </div>
      <OpenIncident tenantId={id} />
      <Sections label={tenantText.sections} entries={sectionsOf(id, operator)} />
      <Outlet context={tenant} />
    </>
  );
}
