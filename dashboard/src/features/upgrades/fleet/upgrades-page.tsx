import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { number } from '../../../lib/figures.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { upgradesText } from './messages.ts';
import { type FleetSummary, fleetsQuery, perPage } from './queries.ts';
import { FleetBadge } from './upgrade-badges.tsx';
import styles from './upgrades.module.css';

const { columns: names } = upgradesText;
const columns: Column<FleetSummary>[] = [
  { name: names.what, cell: ({ id, target_version }) => <Link to={`/upgrades/${id}`}>{target_version}</Link> },
  { name: names.status, cell: ({ status, counts }) => <FleetBadge status={status} failed={counts.failed} /> },
  {
    name: names.tenants,
    kind: 'figure',
    cell: ({ counts: { total, skipped, succeeded } }) => upgradesText.of(succeeded, total - skipped),
  },
  { name: names.failed, kind: 'figure', cell: ({ counts }) => number(counts.failed) },
  { name: names.began, cell: ({ created_at }) => <Time at={created_at} /> },
  { name: names.by, cell: ({ created_by }) => created_by },
];

/** All upgrades of many tenants, newest first. */
export function UpgradesPage() {
  const [query] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
  const { data, error } = useQuery(fleetsQuery(page));
  const begin = useHasRole('operator') && (
    <ButtonLink to="/upgrades/new" variant="primary">
      <Icon name="add" />
      {upgradesText.begin}
    </ButtonLink>
  );
  const empty = data?.total === 0;
  return (
    <>
      <PageHead title={upgradesText.title} hint={upgradesText.hint}>
        {!empty && begin}
      </PageHead>
      {!data && <Waiting error={error} />}
      {empty && (
        <Empty title={upgradesText.emptyTitle} hint={upgradesText.emptyHint}>
          {begin}
        </Empty>
      )}
      {data && !empty && (
        <DataTable label={upgradesText.title} columns={columns} rows={data.upgrades} keyOf={({ id }) => id} />
      )}
      {data && data.total > perPage && (
        <nav className={styles.pages} aria-label={upgradesText.pages}>
          {page > 1 && <ButtonLink to={`/upgrades?page=${page - 1}`}>{upgradesText.newer}</ButtonLink>}
          {page * perPage < data.total && (
            <ButtonLink to={`/upgrades?page=${page + 1}`}>{upgradesText.older}</ButtonLink>
          )}
        </nav>
      )}
    </>
  );
}
