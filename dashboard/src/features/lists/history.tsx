import { Link } from 'react-router';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Time } from '../../components/data/time.tsx';
import { ButtonLink } from '../../components/form/button.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { ListBadge } from './list-badge.tsx';
import styles from './lists.module.css';
import { listsText } from './messages.ts';
import { historyPageSize, type ListJob } from './queries.ts';

interface HistoryProps {
  tenantId: string;
  jobs: readonly ListJob[];
  total: number;
  offset: number;
}

/** A tenant's lists, newest first, page by page. */
export function History({ tenantId, jobs, total, offset }: HistoryProps) {
  const { list, rows, state, people, by, when } = listsText.history.columns;
  const columns: Column<ListJob>[] = [
    {
      name: list,
      kind: 'text',
      cell: (job) => <Link to={`/tenants/${tenantId}/lists/${job.id}`}>{plainText(job.filename)}</Link>,
    },
    { name: state, cell: (job) => <ListBadge job={job} /> },
    { name: rows, kind: 'figure', cell: (job) => listsText.count(job.row_count) },
    { name: people, kind: 'figure', cell: peopleAdded },
    { name: by, cell: (job) => job.created_by },
    { name: when, cell: (job) => <Time at={job.created_at} /> },
  ];
  return (
    <>
      <DataTable label={listsText.history.title} columns={columns} rows={jobs} keyOf={({ id }) => id} />
      {total > historyPageSize && <Pages total={total} offset={offset} />}
    </>
  );
}

function peopleAdded({ import_result: result }: ListJob): string {
  if (!result) return '–';
  return listsText.count(result.imported - (result.removed ?? 0));
}

function Pages({ total, offset }: { total: number; offset: number }) {
  const { pages, page, newer, older } = listsText.history;
  const to = Math.min(total, offset + historyPageSize);
  return (
    <nav className={styles.pages} aria-label={pages}>
      {offset > 0 && (
        <ButtonLink to={{ search: `?offset=${Math.max(0, offset - historyPageSize)}` }}>{newer}</ButtonLink>
      )}
      <span className={styles.fine}>{page(offset + 1, to, total)}</span>
      {to < total && <ButtonLink to={{ search: `?offset=${to}` }}>{older}</ButtonLink>}
    </nav>
  );
}
