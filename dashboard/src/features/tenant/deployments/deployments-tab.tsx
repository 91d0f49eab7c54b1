import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api, type DeploymentSummary, dataOf } from '../../../api/client.ts';
import { deploymentsQuery, queryClient } from '../../../api/queries.ts';
import { WorkBadge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { duration, Time } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { PageLinks, usePage } from '../../../components/layout/page-links.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { tenantText } from '../messages.ts';
import styles from '../tenant.module.css';
import { useTenant } from '../tenant-page.tsx';
import { DeployButton } from './deploy-button.tsx';
import { deploymentText } from './messages.ts';
import { WayBack } from './way-back.tsx';

const secondsOf = ({ started_at, finished_at }: DeploymentSummary): string =>
  started_at && finished_at ? duration((Date.parse(finished_at) - Date.parse(started_at)) / 1000) : '';

/** The operations that change what runs, which would be hard to find among scheduled backups and restore tests. */
const changes = ['deploy', 'upgrade', 'restore', 'move'];
const perPage = 50;

const pageQuery = (id: string, page: number, all: boolean) =>
  queryOptions({
    queryKey: ['deployments', id, all ? 'all' : 'changes', page],
    placeholderData: (before) => before ?? known(id, all),
    queryFn: () => {
      const query = { limit: perPage, offset: (page - 1) * perPage, ...(all ? {} : { kinds: changes.join(',') }) };
      return dataOf(api.GET('/api/tenants/{id}/deployments', { params: { path: { id }, query } }));
    },
  });

/** What the tenant's other pages loaded already, until the answer comes or while the manager does not answer. */
function known(id: string, all: boolean) {
  const newest = queryClient.getQueryData(deploymentsQuery(id).queryKey);
  return newest && { ...newest, deployments: newest.deployments.filter(({ kind }) => all || changes.includes(kind)) };
}

export function DeploymentsTab() {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const [search] = useSearchParams();
  const page = usePage();
  const all = search.has('all');
  const { data, error } = useQuery(pageQuery(tenant.id, page, all));
  if (!data) return <Waiting error={error} />;
  if (data.total === 0 && tenant.deployed_at === null && !all)
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
      <PagePart title={tenantText.deployments}>
        <ButtonLink to={{ search: all ? '' : '?all' }}>
          {all ? deploymentText.onlyChanges : deploymentText.allKinds}
        </ButtonLink>
      </PagePart>
      <DataTable
        label={tenantText.deployments}
        columns={operator ? [...columns, back] : columns}
        rows={data.deployments}
        keyOf={({ id }) => id}
      />
      <PageLinks perPage={perPage} total={data.total} />
    </>
  );
}
