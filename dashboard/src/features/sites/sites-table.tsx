import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { tenantsQuery } from '../../api/queries.ts';
import parts from '../../components/components.module.css';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Time } from '../../components/data/time.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { SelectField } from '../../components/form/select-field.tsx';
import { certificateProblem, sitesText as words } from './messages.ts';
import { hasProblem, type Site } from './queries.ts';
import { DaysBadge, SiteBadge } from './site-badges.tsx';
import styles from './sites.module.css';

/** The sites at the proxy; the filter is in the URL. */
export function SitesTable({ sites }: { sites: readonly Site[] }) {
  const { data: tenants } = useQuery(tenantsQuery);
  const [query, setQuery] = useSearchParams();
  const show = query.get('show') === 'look' ? 'look' : 'all';
  const names = tenants && new Map(tenants.map(({ id, name }) => [id, name]));
  const shown = show === 'look' ? sites.filter(hasProblem) : sites;
  if (sites.length === 0) return <Empty title={words.emptyTitle} hint={words.emptyHint} />;
  return (
    <>
      <div className={styles.tools}>
        <SelectField
          label={words.filter}
          bare
          value={show}
          options={words.filters}
          onChange={(next) => setQuery(next === 'look' ? { show: 'look' } : {}, { replace: true })}
        />
      </div>
      {shown.length === 0 ? (
        <p className={parts.waiting}>{words.nothing}</p>
      ) : (
        <DataTable
          label={words.table}
          columns={columnsOf(names)}
          rows={shown}
          keyOf={({ path, domain }) => path ?? domain}
        />
      )}
    </>
  );
}

/** @param names of tenants, by id; undefined while they are not known */
const columnsOf = (names: ReadonlyMap<string, string> | undefined): Column<Site>[] => [
  {
    name: words.columns.site,
    kind: 'text',
    cell: ({ tenant_id, domain, apiDomain, path }) => (
      <>
        {names && !names.has(tenant_id) ? (
          <span className={styles.mono}>{path}</span>
        ) : (
          <Link to={`/system/proxy/${tenant_id}`}>{names?.get(tenant_id) ?? domain}</Link>
        )}
        <p className={styles.fine}>
          {domain}
          <br />
          {apiDomain}
        </p>
      </>
    ),
  },
  {
    name: words.columns.state,
    kind: 'text',
    cell: ({ state }) => (
      <>
        <SiteBadge state={state} />
        {words.explained[state] && <p className={styles.fine}>{words.explained[state]}</p>}
      </>
    ),
  },
  {
    name: words.columns.certificate,
    kind: 'text',
    cell: ({ soonest, certificate_error }) => (
      <>
        {soonest ? <DaysBadge days={soonest.days_left} /> : <span className={styles.fine}>{words.noCertificate}</span>}
        {certificate_error && <p className={styles.wrong}>{certificateProblem(certificate_error)}</p>}
      </>
    ),
  },
  { name: words.columns.since, cell: ({ applied_at }) => applied_at && <Time at={applied_at} /> },
];
