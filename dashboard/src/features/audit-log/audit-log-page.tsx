import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { queryClient, tenantsQuery } from '../../api/queries.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { PageHead } from '../../components/layout/page.tsx';
import styles from './audit-log.module.css';
import { AuditLogEntry } from './entry.tsx';
import { AuditLogFilters } from './filters.tsx';
import { auditLogText } from './messages.ts';
import { auditLogQuery, newEntriesQuery, pageSize } from './queries.ts';
import { isFiltered, isoOf, viewOf } from './view.ts';

/** Debounce of search input. Milliseconds. */
const settlesAfter = 250;

/** The audit log: filters and page are in the URL; new entries are announced, not inserted. */
export function AuditLogPage() {
  const [query, setQuery] = useSearchParams();
  const listed = withoutEntry(query);
  const view = useMemo(() => viewOf(new URLSearchParams(listed)), [listed]);
  const asked = useSettled(view);
  const { data, error, isPlaceholderData, dataUpdatedAt } = useQuery(auditLogQuery(asked));
  const { data: tenants } = useQuery(tenantsQuery);
  const newest = asked.at || data?.logs[0]?.created_at || (data && isoOf(dataUpdatedAt));
  const { data: fresh = 0 } = useQuery(newEntriesQuery(asked, newest));
  const set = (changes: Record<string, string | undefined>, replace = false): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name);
        return next;
      },
      { replace },
    );
  // A new filter starts at the newest matching entries.
  const filter = (changes: Record<string, string | undefined>): void =>
    set({ page: undefined, at: undefined, entry: undefined, ...changes }, true);
  const clear = (): void => setQuery({}, { replace: true });
  const toNewest = (): void => {
    filter({});
    void queryClient.invalidateQueries({ queryKey: ['journal'] });
  };
  const turn = (page: number): void => {
    set(
      page > 1
        ? { page: String(page), at: newest, entry: undefined }
        : { page: undefined, at: undefined, entry: undefined },
    );
    scrollTo({ top: 0 });
  };
  return (
    <>
      <PageHead title={auditLogText.title} hint={auditLogText.hint} />
      <AuditLogFilters view={view} tenants={tenants ?? []} set={filter} />
      <div className={styles.head}>
        <div className={styles.found}>
          <p role="status">{data ? auditLogText.found(data.total) : ''}</p>
          {isFiltered(view) && data?.total !== 0 && (
            <Button variant="quiet" onClick={clear}>
              {auditLogText.clear}
            </Button>
          )}
        </div>
        {fresh > 0 && (
          <div role="status">
            <Button onClick={toNewest}>{auditLogText.fresh(fresh)}</Button>
          </div>
        )}
      </div>
      {data && <ErrorNote error={error} />}
      {!data && <Waiting error={error} />}
      {data && data.logs.length > 0 && (
        <ol className={styles.list} aria-label={auditLogText.list} aria-busy={isPlaceholderData || asked !== view}>
          {data.logs.map((entry) => (
            <AuditLogEntry
              key={entry.id}
              entry={entry}
              tenants={tenants}
              open={query.get('entry') === entry.id}
              onToggle={(open) => set({ entry: open ? entry.id : undefined }, true)}
              filter={filter}
            />
          ))}
        </ol>
      )}
      {data?.logs.length === 0 && (
        <Nothing
          kind={data.total > 0 ? 'pastEnd' : isFiltered(view) ? 'nothing' : 'empty'}
          clear={clear}
          toNewest={toNewest}
        />
      )}
      {data && <Pager page={view.page} pageSize={pageSize} total={data.total} turn={turn} />}
    </>
  );
}

interface NothingProps {
  kind: 'empty' | 'nothing' | 'pastEnd';
  clear(): void;
  toNewest(): void;
}

function Nothing({ kind, clear, toNewest }: NothingProps) {
  if (kind === 'empty') return <Empty title={auditLogText.emptyTitle} hint={auditLogText.emptyHint} />;
  const past = kind === 'pastEnd';
  return (
    <Empty
      title={past ? auditLogText.pastEndTitle : auditLogText.nothingTitle}
      hint={past ? auditLogText.pastEndHint : auditLogText.nothingHint}
    >
      <Button onClick={past ? toNewest : clear}>{past ? auditLogText.newest : auditLogText.clear}</Button>
    </Empty>
  );
}

/** The URL parameters that select the list; opening an entry sends no request. */
function withoutEntry(query: URLSearchParams): string {
  const rest = new URLSearchParams(query);
  rest.delete('entry');
  return rest.toString();
}

/** Debounces a value. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settlesAfter);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

interface PagerProps {
  /** From 1. */
  page: number;
  pageSize: number;
  total: number;
  turn(page: number): void;
}

/** Pagination; nothing if there is only one page. */
function Pager({ page, pageSize, total, turn }: PagerProps) {
  if (total <= pageSize && page === 1) return null;
  const before = (page - 1) * pageSize;
  const last = Math.min(before + pageSize, total);
  return (
    <nav className={styles.pager} aria-label={auditLogText.pages}>
      <Button disabled={page === 1} onClick={() => turn(page - 1)}>
        {auditLogText.newer}
      </Button>
      <span>{last > before ? auditLogText.span(before + 1, last, total) : ''}</span>
      <Button disabled={last >= total} onClick={() => turn(page + 1)}>
        {auditLogText.older}
      </Button>
    </nav>
  );
}
