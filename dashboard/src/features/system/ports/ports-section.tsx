import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Facts } from '../../../components/data/facts.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { portsText as words } from './messages.ts';
import styles from './ports.module.css';

/** The port pool, and the tenants' ports. */
export function PortsSection() {
  const { data: ports, error } = useQuery(portsQuery);
  const [query, setQuery] = useSearchParams();
  const search = query.get('q') ?? '';
  if (!ports) return <Waiting error={error} />;
  const { allocations, in_use_count: used, available_count: free, pool_start: start, pool_end: end } = ports;
  const inUse = allocations.filter(({ status }) => status === 'in_use');
  const shown = inUse.filter((one) => matches(one, search.trim().toLowerCase()));
  return (
    <>
      <PagePart title={words.title} hint={words.hint} />
      <ErrorNote error={error} />
      <section className={`${parts.card} ${styles.pool}`}>
        <Facts
          facts={{
            [words.pool]: (
              <>
                {words.range(start, end)} <span className={styles.fine}>{words.poolHint}</span>
              </>
            ),
            [words.used]: words.pairs(used),
            [words.free]: words.pairs(free),
            [words.next]: <NextPair />,
          }}
        />
      </section>
      {inUse.length === 0 && (
        <Empty title={words.emptyTitle} hint={words.emptyHint}>
          <ButtonLink to="/tenants">{words.toTenants}</ButtonLink>
        </Empty>
      )}
      {inUse.length > 0 && (
        <>
          <div className={styles.tools}>
            <input
              type="search"
              aria-label={words.search}
              placeholder={words.searchHint}
              value={search}
              onChange={({ target: { value } }) => setQuery(value ? { q: value } : {}, { replace: true })}
            />
            <span className={styles.fine} aria-live="polite">
              {words.shown(shown.length, inUse.length)}
            </span>
          </div>
          {shown.length === 0 ? (
            <p className={parts.waiting}>{words.nothing}</p>
          ) : (
            <DataTable
              label={words.table}
              columns={columnsOf(start, end)}
              rows={shown}
              keyOf={(row) => String(row.frontend_port)}
            />
          )}
        </>
      )}
    </>
  );
}

function NextPair() {
  const { data: pair, error } = useQuery(nextPairQuery);
  if (error) return words.exhausted;
  return pair ? words.nextPair(pair.frontend_port, pair.backend_port) : null;
}

const matches = ({ tenant_name = '', frontend_port, backend_port }: Allocation, search: string): boolean =>
  `${tenant_name.toLowerCase()} ${frontend_port} ${backend_port}`.includes(search);

/** A service's address for a browser on the manager's host. */
const Port = ({ port }: { port: number }) => (
  <a href={`http://${location.hostname}:${port}/`} target="_blank" rel="noreferrer">
    {port}
  </a>
);

const columnsOf = (start: number, end: number): Column<Allocation>[] => [
  {
    name: words.columns.tenant,
    kind: 'text',
    cell: ({ tenant_id, tenant_name }) => <Link to={`/tenants/${tenant_id}`}>{tenant_name}</Link>,
  },
  { name: words.columns.site, kind: 'figure', cell: ({ frontend_port }) => <Port port={frontend_port} /> },
  { name: words.columns.api, kind: 'figure', cell: ({ backend_port }) => <Port port={backend_port} /> },
  {
    name: words.columns.place,
    cell: ({ frontend_port, backend_port }) =>
      [frontend_port, backend_port].every((port) => port >= start && port <= end) ? words.inPool : words.outside,
  },
  { name: words.columns.since, cell: ({ allocated_at }) => allocated_at && <Time at={allocated_at} /> },
];

type Allocation = components['schemas']['PortAllocation'];

const portsQuery = queryOptions({ queryKey: ['ports'], queryFn: () => dataOf(api.GET('/api/ports')) });

/** The pair that a new tenant would get; ports in use on the host are skipped. */
const nextPairQuery = queryOptions({
  queryKey: ['ports', 'next'],
  queryFn: () => dataOf(api.GET('/api/ports/next-available')),
});
