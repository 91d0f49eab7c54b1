import { useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { type SetURLSearchParams, useLocation, useNavigate, useSearchParams } from 'react-router';
import type { Tenant } from '../../api/client.ts';
import { tenantsQuery } from '../../api/queries.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { number } from '../../lib/figures.ts';
import { text } from '../../lib/messages.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { ChecklistCard } from '../setup/checklist-card.tsx';
import { RunCards } from './bulk/run-card.tsx';
import { SelectionBar } from './bulk/selection-bar.tsx';
import { healthOf, matching, type View, viewOf } from './filter.ts';
import { type ColumnKey, chosenColumns, fitting, narrow } from './list/columns.tsx';
import { Tools } from './list/tools.tsx';
import { useTenantTable } from './list/use-tenant-table.tsx';
import { Views } from './list/views.tsx';
import { tenantsText } from './messages.ts';
import { TenantForm } from './tenant-form.tsx';
import { RowMenu } from './tenant-menu.tsx';
import { TenantTable } from './tenant-table.tsx';
import styles from './tenants.module.css';

export function TenantsPage() {
  const { data, error } = useQuery(tenantsQuery);
  // A long list is rendered in parts, between which the page reacts.
  const tenants = useDeferredValue(data);
  const [query, setQuery] = useSearchParams();
  const [creating, setCreating] = useState(false);
  const location = useLocation();
  const navigate = useNavigate();
  const mayChange = useHasRole('operator');
  const view = useMemo(() => viewOf(query), [query]);
  const found = useMemo(() => matching(tenants ?? [], view), [tenants, view]);
  const { state } = location as { state: { create?: boolean } | null };
  useEffect(() => {
    // Opened from another page; only once.
    if (!state?.create) return;
    setCreating(true);
    void navigate(location.pathname + location.search, { replace: true });
  }, [state, navigate, location]);
  const unhealthy = tenants?.filter((tenant) => healthOf(tenant) === 'unhealthy').length ?? 0;
  const create = mayChange && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Icon name="add" />
      {tenantsText.list.create}
    </Button>
  );
  return (
    <>
      <title>{`${unhealthy > 0 ? `(${number(unhealthy)}) ` : ''}${text.tenants} · ${text.product}`}</title>
      <div className={styles.head} data-fluid>
        <h1>{text.tenants}</h1>
        <p className={styles.count} aria-live="polite">
          {tenants && tenants.length > 0 && <Count found={found.length} all={tenants.length} />}
        </p>
        {tenants && tenants.length > 0 && create}
      </div>
      {tenants?.length === 0 && <ChecklistCard />}
      {tenants && <RunCards />}
      {!tenants && <Waiting error={error} />}
      {tenants?.length === 0 && (
        <Empty
          title={tenantsText.list.emptyTitle}
          hint={mayChange ? tenantsText.list.emptyHint : tenantsText.list.emptyViewer}
        >
          {create}
        </Empty>
      )}
      {tenants && tenants.length > 0 && (
        <TenantList tenants={tenants} found={found} view={view} query={query} setQuery={setQuery} />
      )}
      {creating && <TenantForm onClose={() => setCreating(false)} onSaved={(id) => void navigate(`/tenants/${id}`)} />}
    </>
  );
}

const Count = ({ found, all }: { found: number; all: number }) => tenantsText.list.shown(found, all);

interface TenantListProps {
  tenants: readonly Tenant[];
  /** Those that match search and filters. */
  found: readonly Tenant[];
  view: View;
  query: URLSearchParams;
  setQuery: SetURLSearchParams;
}

/** A component of its own: React pauses between components, but not within one, and to sort the list takes a phone a while. */
function TenantList({ tenants, found, view, query, setQuery }: TenantListProps) {
  const mayChange = useHasRole('operator');
  const chosen = chosenColumns.use();
  const [width, setWidth] = useState(0);
  // A phone has the same columns in each width.
  const onWidth = useCallback((px: number) => setWidth(narrow.matches ? 0 : px), []);
  // Most changes of the width leave the columns, and so all rows, as they are.
  const fit = fitting(chosen, width).join(' ');
  const columns = useMemo(() => fit.split(' ').filter(Boolean) as ColumnKey[], [fit]);
  const set = (name: string, value: string | undefined): void => {
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  };
  const table = useTenantTable({
    tenants: found,
    view,
    shown: columns,
    selectable: mayChange,
    onSort: (sort) => set('sort', sort),
  });
  const { rows } = table.getRowModel();
  const shown = useMemo(() => rows.map(({ original }) => original), [rows]);
  return (
    <>
      <Views query={query} setQuery={(next) => setQuery(next, { replace: true })} />
      <Tools tenants={tenants} shown={shown} view={view} columns={columns} set={set} />
      {shown.length > 0 ? (
        <>
          {mayChange && <SelectionBar tenants={tenants} shown={shown} />}
          <TenantTable table={table} shown={columns} selectable={mayChange} onWidth={onWidth} />
          {mayChange && <RowMenu />}
        </>
      ) : (
        <Empty title={tenantsText.list.nothingTitle} hint={tenantsText.list.nothingHint}>
          <Button onClick={() => setQuery({}, { replace: true })}>{tenantsText.list.clear}</Button>
        </Empty>
      )}
    </>
  );
}
