import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Badge } from '../../components/data/badge.tsx';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Time } from '../../components/data/time.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PageHead, PagePart } from '../../components/layout/page.tsx';
import { PageLinks, usePage } from '../../components/layout/page-links.tsx';
import { subjectOf, titleOf } from './incident-item.tsx';
import styles from './incidents.module.css';
import { lasted } from './lasted.ts';
import { incidentsText } from './messages.ts';
import { type IncidentSummary, openIncidentsQuery, perPage, resolvedIncidentsQuery } from './queries.ts';

const tones = { open: 'bad', acknowledged: 'warn', resolved: 'plain' } as const;

/** An incident's state as a word. */
export const IncidentBadge = ({ status }: Pick<IncidentSummary, 'status'>) => (
  <Badge tone={tones[status]}>{incidentsText.status[status]}</Badge>
);

const { columns: names } = incidentsText;
const columns: Column<IncidentSummary>[] = [
  {
    name: names.what,
    kind: 'text',
    cell: (incident) => <Link to={`/incidents/${incident.id}`}>{titleOf(incident)}</Link>,
  },
  { name: names.status, cell: ({ status }) => <IncidentBadge status={status} /> },
  { name: names.tenants, cell: subjectOf },
  { name: names.opened, cell: ({ opened_at }) => <Time at={opened_at} /> },
  { name: names.duration, kind: 'figure', cell: ({ duration_seconds }) => lasted(duration_seconds) },
];

/** Open incidents, then resolved ones. */
export function IncidentsPage() {
  const page = usePage();
  const { data: open, error } = useQuery(openIncidentsQuery);
  const { data: resolved } = useQuery(resolvedIncidentsQuery(page));
  return (
    <>
      <PageHead title={incidentsText.title} hint={incidentsText.hint} />
      {!open && <Waiting error={error} />}
      {open && <PagePart title={incidentsText.open} />}
      {open?.total === 0 && <p className={styles.none}>{incidentsText.noneOpen}</p>}
      {open && open.total > 0 && (
        <DataTable label={incidentsText.open} columns={columns} rows={open.incidents} keyOf={({ id }) => id} />
      )}
      {resolved && <PagePart title={incidentsText.resolved} />}
      {resolved?.total === 0 && <p className={styles.none}>{incidentsText.noneResolved}</p>}
      {resolved && resolved.total > 0 && (
        <DataTable label={incidentsText.resolved} columns={columns} rows={resolved.incidents} keyOf={({ id }) => id} />
      )}
      {resolved && <PageLinks perPage={perPage} total={resolved.total} />}
    </>
  );
}
