import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
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
import { auditLogQuery, newEntriesQuery } from './queries.ts';
import { isFiltered, isoOf, viewOf } from './view.ts';

/** Debounce of search input. Milliseconds. */
const settlesAfter = 250;

/** The audit log: filters are in the URL; new entries are announced, not inserted. */
export function AuditLogPage() {
  const [query, setQuery] = useSearchParams();
  const listed = withoutEntry(query);
  const view = useMemo(() => viewOf(new URLSearchParams(listed)), [listed]);
  const asked = useSettled(view);
  const log = useInfiniteQuery(auditLogQuery(asked));
  const { data, error, isPlaceholderData, dataUpdatedAt } = log;
  const logs = data?.pages.flatMap((page) => page.logs) ?? [];
  const total = data?.pages.at(-1)?.total;
  const { data: tenants } = useQuery(tenantsQuery);
  const newest = logs[0]?.created_at ?? (data && isoOf(dataUpdatedAt));
  const { data: fresh = 0 } = useQuery(newEntriesQuery(asked, newest));
  const set = (changes: Record<string, string | undefined>): void =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name);
        return next;
      },
      { replace: true },
    );
  // A new filter starts at the newest matching entries.
  const filter = (changes: Record<string, string | undefined>): void => set({ entry: undefined, ...changes });
  const clear = (): void => setQuery({}, { replace: true });
  const toNewest = (): void => {
    filter({});
    void queryClient.invalidateQueries({ queryKey: ['journal'] });
  };
  return (
    <>
      <PageHead title={auditLogText.title} hint={auditLogText.hint} />
      <AuditLogFilters view={view} tenants={tenants ?? []} set={filter} />
      <div className={styles.head}>
        <div className={styles.found}>
          <p role="status">{total === undefined ? '' : auditLogText.found(total)}</p>
          {isFiltered(view) && total !== 0 && (
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
      {logs.length > 0 && (
        <ol className={styles.list} aria-label={auditLogText.list} aria-busy={isPlaceholderData || asked !== view}>
          {logs.map((entry) => (
            <AuditLogEntry
              key={entry.id}
              entry={entry}
              tenants={tenants}
              open={query.get('entry') === entry.id}
              onToggle={(open) => set({ entry: open ? entry.id : undefined })}
              filter={filter}
            />
          ))}
        </ol>
      )}
      {data && logs.length === 0 && <Nothing filtered={isFiltered(view)} clear={clear} />}
      {log.hasNextPage && (
        <div className={styles.more}>
          <Button aria-busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage({ cancelRefetch: false })}>
            {auditLogText.more(logs.length, total ?? 0)}
          </Button>
        </div>
      )}
    </>
  );
}

const Nothing = ({ filtered, clear }: { filtered: boolean; clear(): void }) =>
  filtered ? (
    <Empty title={auditLogText.nothingTitle} hint={auditLogText.nothingHint}>
      <Button onClick={clear}>{auditLogText.clear}</Button>
    </Empty>
  ) : (
    <Empty title={auditLogText.emptyTitle} hint={auditLogText.emptyHint} />
  );

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
