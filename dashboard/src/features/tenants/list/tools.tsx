import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Tenant } from '../../../api/client.ts';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Button, IconButton } from '../../../components/form/button.tsx';
import { SearchField } from '../../../components/form/search-field.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Menu } from '../../../components/layout/menu.tsx';
import { number } from '../../../lib/figures.ts';
import { text } from '../../../lib/messages.ts';
import { saveAnswer } from '../../../lib/save-file.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { hasStates, matches, noTag, statuses, type View, versionsOf } from '../filter.ts';
import { tenantsText } from '../messages.ts';
import styles from '../tenants.module.css';
import { type ColumnKey, chosenColumns, columnKeys } from './columns.tsx';
import { TagColors, tagsQuery } from './tags.tsx';

interface ToolsProps {
  tenants: readonly Tenant[];
  /** Those that match search and filters, in their order. */
  shown: readonly Tenant[];
  view: View;
  /** The columns for which there is room. */
  columns: readonly ColumnKey[];
  set(name: string, value: string | undefined): void;
}

const healthFilters = [
  { health: 'unhealthy', tone: 'bad' },
  { health: 'degraded', tone: 'warn' },
  { health: 'healthy', tone: undefined },
  { health: 'unknown', tone: undefined },
] as const;

/** Search, filters, order, columns and export of the list. */
export function Tools({ tenants, shown, view, columns, set }: ToolsProps) {
  const found = tenants.filter((tenant) => matches(tenant, view.search));
  const [more, setMore] = useState(
    [view.tag, view.version, view.update, view.backup, view.response, view.deployed].some(
      (value) => value !== undefined,
    ),
  );
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
            {status ? text.status[status] : tenantsText.list.all}{' '}
            <span>{number(count({ status, health: view.health }))}</span>
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
              {health === 'unknown' ? text.healthNotChecked : text.health[health]} <span>{number(counted)}</span>
            </button>
          );
        })}
      </fieldset>
      <div className={styles.listMenu}>
        <IconButton
          icon="filter"
          label={tenantsText.list.menu.filters}
          aria-expanded={more}
          onClick={() => setMore(!more)}
        />
        <ListMenu shown={shown} view={view} columns={columns} set={set} />
      </div>
      {more && <MoreFilters tenants={tenants} view={view} set={set} />}
    </div>
  );
}

function MoreFilters({ tenants, view, set }: Omit<ToolsProps, 'shown' | 'columns'>) {
  const { data: tags = [] } = useQuery(tagsQuery);
  const { any, tag, noTags, version, ...choices } = tenantsText.list.filters;
  const named = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, name]));
  // A value of the address stays selectable when nothing has it any more.
  const withValue = (options: Record<string, string>, value: string | undefined): Record<string, string> =>
    value === undefined || value in options ? options : { [value]: value, ...options };
  const filters = [
    {
      key: 'tag',
      label: tag,
      value: view.tag,
      options: withValue({ [noTag]: noTags, ...named(tags.map(({ name }) => name)) }, view.tag),
    },
    {
      key: 'version',
      label: version,
      value: view.version,
      options: withValue(named(versionsOf(tenants)), view.version),
    },
    ...(['update', 'backup', 'response', 'deployed'] as const).map((key) => ({
      key,
      value: view[key],
      ...choices[key],
    })),
  ];
  return (
    <div className={styles.more}>
      {filters.map(({ key, label, value, options }) => (
        <SelectField
          key={key}
          bare
          label={label}
          value={value ?? ''}
          options={{ '': any(label), ...options }}
          onChange={(next) => set(key, next)}
        />
      ))}
    </div>
  );
}

function ListMenu({ shown, view, columns: fitting, set }: Omit<ToolsProps, 'tenants'>) {
  const chosen = chosenColumns.use();
  const operator = useHasRole('operator');
  const [coloring, setColoring] = useState(false);
  const { menu, columns } = tenantsText.list;
  return (
    <>
      {view.sort !== 'trouble' && <Button onClick={() => set('sort', undefined)}>{menu.trouble}</Button>}
      <Menu
        label={menu.columns}
        trigger={<Icon name="columns" />}
        bordered
        entries={columnKeys.map((key) => ({
          label: !chosen.includes(key)
            ? menu.show(columns[key])
            : fitting.includes(key)
              ? menu.hide(columns[key])
              : menu.hideUnseen(columns[key]),
          act: () =>
            chosenColumns.set(columnKeys.filter((one) => (one === key ? !chosen.includes(key) : chosen.includes(one)))),
        }))}
      />
      {operator && <IconButton icon="tag" label={menu.tags} onClick={() => setColoring(true)} />}
      <IconButton
        icon="download"
        label={menu.export}
        disabled={shown.length === 0}
        onClick={() => void exportList(shown)}
      />
      {coloring && <TagColors onClose={() => setColoring(false)} />}
    </>
  );
}

/** Downloads the shown tenants as CSV, in their order. */
async function exportList(shown: readonly Tenant[]): Promise<void> {
  const body = { tenant_ids: shown.map(({ id }) => id) };
  await saveAnswer(api.POST('/api/tenants/export', { body, parseAs: 'blob' }), 'tenants.csv').catch(notifyError);
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
