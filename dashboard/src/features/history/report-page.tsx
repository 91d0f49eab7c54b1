import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../components/form/button.tsx';
import { PageHead } from '../../components/layout/page.tsx';
import { number } from '../../lib/figures.ts';
import { downTime } from './down-time.ts';
import styles from './history.module.css';
import { historyText as words } from './messages.ts';
import { isMonth, monthAfter, monthName, thisMonth } from './month.ts';
import { type AvailabilityReport, reportQuery } from './queries.ts';

type Row = AvailabilityReport['tenants'][number];

const columns: readonly Column<Row>[] = [
  {
    name: words.columns.tenant,
    kind: 'text',
    cell: ({ tenant }) => <Link to={`/tenants/${tenant.id}`}>{tenant.name}</Link>,
  },
  { name: words.columns.availability, kind: 'figure', cell: ({ percent }) => words.percent(percent) },
  { name: words.columns.checks, kind: 'figure', cell: ({ checks }) => number(checks) },
  { name: words.columns.down, kind: 'figure', cell: ({ used }) => downTime(used) },
  { name: words.columns.left, kind: 'figure', cell: ({ left }) => downTime(left) },
];

/** All tenants' availability in a month. */
export function ReportPage() {
  const { month = '' } = useParams();
  return isMonth(month) ? <Report month={month} /> : <Empty title={words.badMonth} hint="" />;
}

function Report({ month }: { month: string }) {
  const { data, error } = useQuery(reportQuery(month));
  const missed = data?.tenants.filter(({ percent, left }) => percent !== null && left < 0).length ?? 0;
  return (
    <>
      <PageHead
        title={words.report(monthName(month))}
        hint={data && words.reportHint(words.percent(data.fleet.percent), data.objective)}
      >
        <ButtonLink to={`/reports/availability/${monthAfter(month, -1)}`}>{words.previous}</ButtonLink>
        {month < thisMonth() && (
          <ButtonLink to={`/reports/availability/${monthAfter(month, 1)}`}>{words.next}</ButtonLink>
        )}
      </PageHead>
      {!data && <Waiting error={error} />}
      {data?.tenants.length === 0 && <Empty title={words.noTenants} hint={words.noTenantsHint} />}
      {data && data.tenants.length > 0 && (
        <>
          <p className={styles.lead}>{words.missed(missed)}</p>
          <DataTable
            label={words.report(monthName(month))}
            columns={columns}
            rows={data.tenants}
            keyOf={({ tenant }) => tenant.id}
          />
        </>
      )}
    </>
  );
}
