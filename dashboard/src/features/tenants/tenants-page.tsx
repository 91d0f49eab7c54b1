import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { tenantsQuery } from '../../api/queries.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { SearchField } from '../../components/form/search-field.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { text } from '../../lib/messages.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { RunCards } from './bulk/run-card.tsx';
import { useSelectRow } from './bulk/selection.ts';
import { SelectionBar } from './bulk/selection-bar.tsx';
import { arrange, hasStates, healthOf, matches, statuses, type View, viewOf } from './filter.ts';
import { tenantsText } from './messages.ts';
import { TenantForm } from './tenant-form.tsx';
import { TenantTable } from './tenant-table.tsx';
import styles from './tenants.module.css';

export function TenantsPage() {
  const { data: tenants, error } = useQuery(tenantsQuery);
  const [query, setQuery] = useSearchParams();
  const [creating, setCreating] = useState(false);
  const location = useLocation();
  const navigate = useNavigate();
  const mayChange = useHasRole('operator');
  const view = useMemo(() => viewOf(query), [query]);
  const shown = useMemo(() => arrange(tenants ?? [], view), [tenants, view]);
  const selectRow = useSelectRow(shown);
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
      <Icon name="plus" />
      {tenantsText.list.create}
    </Button>
  );
  return (
    <>
      <title>{`${unhealthy > 0 ? `(${unhealthy}) ` : ''}${text.tenants} · ${text.product}`}</title>
      <div className={styles.head}>
        <div>
          <h1>{text.tenants}</h1>
          <p className={styles.count} aria-live="polite">
            {tenants && tenants.length > 0 ? tenantsText.list.shown(shown.length, tenants.length) : ''}
          </p>
        </div>
        {tenants && tenants.length > 0 && create}
      </div>
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
        <>
          <Tools tenants={tenants} view={view} set={set} />
          {shown.length > 0 ? (
            <>
              {mayChange && <SelectionBar tenants={tenants} shown={shown} />}
              <TenantTable
                tenants={shown}
                view={view}
                onSort={(key) => set('sort', view.sort === key && !view.descending ? `-${key}` : key)}
                onSelect={mayChange ? selectRow : undefined}
              />
            </>
          ) : (
            <Empty title={tenantsText.list.nothingTitle} hint={tenantsText.list.nothingHint}>
              <Button onClick={() => setQuery({}, { replace: true })}>{tenantsText.list.clear}</Button>
            </Empty>
          )}
        </>
      )}
      {creating && <TenantForm onClose={() => setCreating(false)} onSaved={(id) => void navigate(`/tenants/${id}`)} />}
    </>
  );
}

interface ToolsProps {
  tenants: Parameters<typeof arrange>[0];
  view: ReturnType<typeof viewOf>;
  set(name: string, value: string | undefined): void;
}

const healthFilters = [
  { health: 'unhealthy', tone: 'bad' },
  { health: 'degraded', tone: 'warn' },
  { health: 'healthy', tone: undefined },
] as const;

function Tools({ tenants, view, set }: ToolsProps) {
  const found = tenants.filter((tenant) => matches(tenant, view.search));
  const count = (states: Pick<View, 'status' | 'health'>): number =>
    found.filter((tenant) => hasStates(tenant, states)).length;
  return (
    <div className={styles.tools}>
      <SearchBox value={view.search} onChange={(search) => set('q', search)} />
      <fieldset className={styles.filters} aria-label={tenantsText.list.filter}>
        {[undefined, ...statuses].map((status) => (
          <button
            key={status ?? 'all'}
            type="button"
            aria-pressed={view.status === status}
            onClick={() => set('status', status)}
          >
            {status ? text.status[status] : tenantsText.list.all} <span>{count({ status, health: view.health })}</span>
          </button>
        ))}
      </fieldset>
      <fieldset className={styles.filters} aria-label={tenantsText.list.healthFilter}>
        {healthFilters.map(({ health, tone }) => {
          const counted = count({ status: view.status, health });
          return (
            <button
              key={health}
              type="button"
              aria-pressed={view.health === health}
              data-tone={counted > 0 ? tone : undefined}
              onClick={() => set('health', view.health === health ? undefined : health)}
            >
              {text.health[health]} <span>{counted}</span>
            </button>
          );
        })}
      </fieldset>
    </div>
  );
}

interface SearchBoxProps {
  /** As in the URL. */
  value: string;
  onChange(value: string): void;
}

/**
 * Shows the input at once and updates the URL a little later: an input bound to the URL would lose letters of fast
 * typing. A URL that changes for another reason (a link, Back) is applied.
 */
function SearchBox({ value, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  /** Values written to the URL and not seen there yet. */
  const pending = useRef<string[]>([]);
  useEffect(() => {
    const at = pending.current.lastIndexOf(value);
    pending.current.splice(0, at === -1 ? pending.current.length : at + 1);
    if (at === -1) setTyped(value);
  }, [value]);
  return (
    <div className={styles.search}>
      <SearchField
        label={tenantsText.list.search}
        placeholder={tenantsText.list.searchHint}
        value={typed}
        onChange={(next) => {
          setTyped(next);
          pending.current.push(next);
          onChange(next);
        }}
      />
    </div>
  );
}
