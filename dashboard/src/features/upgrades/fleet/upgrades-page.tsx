import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { PageLinks, usePage } from '../../../components/layout/page-links.tsx';
import { number } from '../../../lib/figures.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { upgradesText } from './messages.ts';
import { type FleetSummary, fleetsQuery, perPage } from './queries.ts';
import { FleetBadge } from './upgrade-badges.tsx';

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
  const page = usePage();
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
      {data && <PageLinks perPage={perPage} total={data.total} />}
    </>
  );
}
