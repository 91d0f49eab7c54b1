import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DeploymentSummary, FullTenant } from '../../../api/client.ts';
import { deploymentsQuery } from '../../../api/queries.ts';
import { WorkBadge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { duration, Time } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button, ButtonLink } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { maxOffered, versionsQuery } from '../../upgrades/single/queries.ts';
import { tenantText } from '../messages.ts';
import styles from '../tenant.module.css';
import { useTenant } from '../tenant-page.tsx';
import { DeployButton, openDeployDialog } from './deploy-button.tsx';
import { deploymentText } from './messages.ts';

const secondsOf = ({ started_at, finished_at }: DeploymentSummary): string =>
  started_at && finished_at ? duration((Date.parse(finished_at) - Date.parse(started_at)) / 1000) : '';

export function DeploymentsTab() {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const { data, error } = useQuery(deploymentsQuery(tenant.id));
  if (!data) return <Waiting error={error} />;
  const deploy = tenant.git_repo ? <DeployButton tenant={tenant} /> : null;
  if (data.deployments.length === 0)
    return (
      <Empty title={deploymentText.empty} hint={deploymentText.emptyHint}>
        {deploy}
      </Empty>
    );
  const { what, version, status, began, took } = deploymentText.columns;
  const columns: Column<DeploymentSummary>[] = [
    {
      name: what,
      cell: ({ id, kind }) => (
        <Link to={`/tenants/${tenant.id}/deployments/${id}`}>{deploymentText.kinds[kind] ?? kind}</Link>
      ),
    },
    {
      name: version,
      cell: ({ version: name, ref, commit }) =>
        (name ?? ref ?? commit) && (
          <>
            {name ?? (ref && commit?.startsWith(ref.toLowerCase()) ? null : ref)}{' '}
            <span className={styles.mono}>{commit?.slice(0, 10)}</span>
          </>
        ),
    },
    { name: status, cell: (one) => <WorkBadge status={one.status} /> },
    { name: began, cell: (one) => <Time at={one.created_at} /> },
    { name: took, kind: 'figure', cell: (one) => <span className={styles.took}>{secondsOf(one)}</span> },
  ];
  const back: Column<DeploymentSummary> = {
    name: deploymentText.columns.back,
    kind: 'action',
    cell: (one) => <WayBack work={one} tenant={tenant} />,
  };
  return (
    <>
      <PagePart title={tenantText.deployments}>{deploy}</PagePart>
      <DataTable
        label={tenantText.deployments}
        columns={operator ? [...columns, back] : columns}
        rows={data.deployments}
        keyOf={({ id }) => id}
      />
    </>
  );
}

/** Leads from a successful deployment of another version than the current one to that version. */
function WayBack({ work, tenant }: { work: DeploymentSummary; tenant: FullTenant }) {
  const { data } = useQuery({ ...versionsQuery(tenant.id, maxOffered), enabled: tenant.git_repo !== null });
  const { kind, status, version, commit } = work;
  if (!data || status !== 'success' || !commit || (kind !== 'deploy' && kind !== 'upgrade')) return null;
  if ([...data.versions, ...data.branches].some((one) => one.deployed && one.commit === commit)) return null;
  const offer = data.versions.find((one) => one.version === version && one.commit === commit);
  if (!offer)
    return (
      <Button variant="quiet" onClick={() => openDeployDialog(tenant, commit)}>
        {deploymentText.again}
      </Button>
    );
  const text = offer.older ? deploymentText.rollBack : deploymentText.upgrade;
  return (
    <ButtonLink variant="quiet" to={`/tenants/${tenant.id}/upgrade?version=${encodeURIComponent(offer.version)}`}>
      {text(offer.version)}
    </ButtonLink>
  );
}
