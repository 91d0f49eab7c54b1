import {
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  functionalUpdate,
  type ReactTable,
  type Row,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { Tenant } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { compareTexts } from '../../../lib/figures.ts';
import { SelectAll, SelectOne } from '../bulk/select-boxes.tsx';
import { selection } from '../bulk/selection.ts';
import type { View } from '../filter.ts';
import { tenantsText } from '../messages.ts';
import { RowMenuButton } from '../tenant-menu.tsx';
import styles from '../tenants.module.css';
import { type ColumnKey, columnKeys, columns } from './columns.tsx';

const features = tableFeatures({
  columnVisibilityFeature,
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

export type TenantTable = ReactTable<typeof features, Tenant>;
export type TenantRow = Row<typeof features, Tenant>;

const { accessor, display, columns: defined } = createColumnHelper<typeof features, Tenant>();
const { name, actions } = tenantsText.list.columns;

const tableColumns = defined([
  display({
    id: 'box',
    header: ({ table }) => (
      <SelectAll
        all={table.getIsAllRowsSelected()}
        some={table.getIsSomePageRowsSelected()}
        onChange={table.getToggleAllRowsSelectedHandler()}
      />
    ),
    cell: ({ table, row }) => (
      <SelectOne
        name={row.original.name}
        selected={row.getIsSelected()}
        // A drawn row may be older than the table; a range is found by its own row.
        onChange={(event) => table.getRow(row.id).getToggleSelectedHandler()(event)}
      />
    ),
  }),
  accessor(troubleOf, { id: 'trouble' }),
  accessor('name', {
    header: name,
    cell: ({ row: { original: tenant } }) => (
      <>
        <Link to={`/tenants/${tenant.id}`}>{tenant.name}</Link>
        <span className={styles.fine}>{tenant.slug}</span>
      </>
    ),
  }),
  ...columnKeys.map((key) =>
    accessor(columns[key].value, {
      id: key,
      header: tenantsText.list.columns[key],
      cell: ({ row }) => columns[key].cell(row.original),
    }),
  ),
  display({
    id: 'actions',
    header: () => <span className={parts.spoken}>{actions}</span>,
    cell: ({ row }) => <RowMenuButton tenant={row.original} />,
  }),
]);

/** How much trouble a tenant is in, the worst first: down, degraded, stopped, not deployed, not checked, healthy. */
function troubleOf(tenant: Tenant): number {
  if (tenant.status === 'error') return 0;
  if (tenant.status === 'running') return { unhealthy: 1, degraded: 2, unknown: 5, healthy: 6 }[tenant.health_status];
  return tenant.status === 'stopped' ? 3 : 4;
}

/** By a column's value, then by name. */
function byValue(a: TenantRow, b: TenantRow, column: string): number {
  const [x, y] = [a.getValue(column), b.getValue(column)];
  const order = typeof x === 'number' && typeof y === 'number' ? x - y : compareTexts(String(x ?? ''), String(y ?? ''));
  return order || compareTexts(a.original.name, b.original.name);
}

interface TenantTableOptions {
  /** Those that match search and filters. */
  tenants: readonly Tenant[];
  view: View;
  /** The columns for which there is room. */
  shown: readonly ColumnKey[];
  selectable: boolean;
  /** `-name`: descending by name. */
  onSort(sort: string): void;
}

/** The tenants as a table: sorted as in the URL, with the kept selection. */
export function useTenantTable({ tenants, view, shown, selectable, onSort }: TenantTableOptions): TenantTable {
  const rowSelection = selection.use();
  const sorting = useMemo(() => [{ id: view.sort, desc: view.descending }], [view]);
  const columnVisibility = useMemo(
    () => ({
      box: selectable,
      actions: selectable,
      trouble: false,
      ...Object.fromEntries(columnKeys.map((key) => [key, shown.includes(key)])),
    }),
    [selectable, shown],
  );
  return useTable({
    features,
    columns: tableColumns,
    data: tenants,
    getRowId: ({ id }) => id,
    defaultColumn: { sortFn: byValue },
    enableMultiSort: false,
    enableSortingRemoval: false,
    sortDescFirst: false,
    state: { sorting, columnVisibility, rowSelection },
    onSortingChange(updater) {
      for (const { id, desc } of functionalUpdate(updater, sorting)) onSort(desc ? `-${id}` : id);
    },
    onRowSelectionChange: (updater) => selection.set(functionalUpdate(updater, selection.get())),
  });
}
