import { Link } from 'react-router';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Time } from '../../components/data/time.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { incidentsText } from './messages.ts';
import type { Incident } from './queries.ts';

type Affected = Incident['tenants'][number];

const columns: Column<Affected>[] = [
  {
    name: incidentsText.columns.tenants,
    kind: 'text',
    cell: ({ id, name, left_reason }) => (left_reason === 'deleted' ? name : <Link to={`/tenants/${id}`}>{name}</Link>),
  },
  { name: incidentsText.since, cell: ({ joined_at }) => <Time at={joined_at} /> },
  {
    name: incidentsText.until,
    cell: ({ left_at, left_reason }) =>
      left_at && (
        <>
          <Time at={left_at} /> {left_reason && `(${incidentsText.left[left_reason]})`}
        </>
      ),
  },
];

/** The tenants of an incident, those still affected first. */
export const AffectedTenants = ({ incident }: { incident: Incident }) => (
  <>
    <PagePart
      title={incidentsText.tenantsTitle}
      hint={incidentsText.affected(incident.affected_count, incident.tenant_count)}
    />
    <DataTable label={incidentsText.tenantsTitle} columns={columns} rows={incident.tenants} keyOf={({ id }) => id} />
  </>
);
