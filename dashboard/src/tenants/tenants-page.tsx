import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { tenantsQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useMay } from '../session/session.tsx';
import { text } from '../text/en.ts';
import { arrange, healths, matches, statuses, viewOf } from './filter.ts';
import { TenantForm } from './tenant-form.tsx';
import { TenantTable } from './tenant-table.tsx';
import styles from './tenants.module.css';

export function TenantsPage() {
  const { data: tenants, error } = useQuery(tenantsQuery);
  const [query, setQuery] = useSearchParams();
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const mayCreate = useMay('operator');
  const view = useMemo(() => viewOf(query), [query]);
  const shown = useMemo(() => arrange(tenants ?? [], view), [tenants, view]);
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
  const create = mayCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {text.list.create}
    </Button>
  );
  return (
    <>
      <title>{`${text.tenants} · ${text.product}`}</title>
      <div className={styles.head}>
        <div>
          <h1>{text.tenants}</h1>
          <p className={styles.count} aria-live="polite">
            {tenants && tenants.length > 0 ? text.list.shown(shown.length, tenants.length) : ''}
          </p>
        </div>
        {tenants && tenants.length > 0 && create}
      </div>
      {!tenants && <Waiting error={error} />}
      {tenants?.length === 0 && (
        <Empty title={text.list.emptyTitle} hint={mayCreate ? text.list.emptyHint : text.list.emptyViewer}>
          {create}
        </Empty>
      )}
      {tenants && tenants.length > 0 && (
        <>
          <Tools tenants={tenants} view={view} set={set} />
          {shown.length > 0 ? (
            <TenantTable
              tenants={shown}
              view={view}
              onSort={(key) => set('sort', view.sort === key && !view.descending ? `-${key}` : key)}
            />
          ) : (
            <Empty title={text.list.nothingTitle} hint={text.list.nothingHint}>
              <Button onClick={() => setQuery({}, { replace: true })}>{text.list.clear}</Button>
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

function Tools({ tenants, view, set }: ToolsProps) {
  const found = tenants.filter(
    (tenant) => (!view.health || tenant.health_status === view.health) && matches(tenant, view.search),
  );
  const count = (status: string | undefined): number =>
    status ? found.filter((tenant) => tenant.status === status).length : found.length;
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <Icon name="search" />
        <input
          type="search"
          aria-label={text.list.search}
          placeholder={text.list.searchHint}
          value={view.search}
          onChange={(event) => set('q', event.target.value)}
        />
      </div>
      <fieldset className={styles.filters} aria-label={text.list.filter}>
        {[undefined, ...statuses].map((status) => (
          <button
            key={status ?? 'all'}
            type="button"
            aria-pressed={view.status === status}
            onClick={() => set('status', status)}
          >
            {status ? text.status[status] : text.list.all} <span>{count(status)}</span>
          </button>
        ))}
      </fieldset>
      <select
        className={styles.select}
        aria-label={text.list.health}
        value={view.health ?? ''}
        onChange={(event) => set('health', event.target.value || undefined)}
      >
        <option value="">{text.list.anyHealth}</option>
        {healths.map((health) => (
          <option key={health} value={health}>
            {text.health[health]}
          </option>
        ))}
      </select>
    </div>
  );
}
