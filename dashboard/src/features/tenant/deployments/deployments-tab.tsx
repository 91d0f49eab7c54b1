import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DeploymentSummary } from '../../../api/client.ts';
import { deploymentsQuery } from '../../../api/queries.ts';
import { WorkBadge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { duration, Time } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { tenantText } from '../messages.ts';
import styles from '../tenant.module.css';
import { useTenant } from '../tenant-page.tsx';
import { DeployButton } from './deploy-button.tsx';
import { deploymentText } from './messages.ts';
import { WayBack } from './way-back.tsx';

const secondsOf = ({ started_at, finished_at }: DeploymentSummary): string =>
  started_at && finished_at ? duration((Date.parse(finished_at) - Date.parse(started_at)) / 1000) : '';

export function DeploymentsTab() {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const { data, error } = useQuery(deploymentsQuery(tenant.id));
  if (!data) return <Waiting error={error} />;
  if (data.deployments.length === 0)
    return (
      <Empty title={deploymentText.empty} hint={deploymentText.emptyHint}>
        {tenant.git_repo && <DeployButton tenant={tenant} />}
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
    cell: (one) => <WayBack quiet work={one} tenant={tenant} />,
  };
  return (
    <>
      <PagePart title={tenantText.deployments} />
      <DataTable
        label={tenantText.deployments}
        columns={operator ? [...columns, back] : columns}
        rows={data.deployments}
        keyOf={({ id }) => id}
      />
    </>
  );
}
