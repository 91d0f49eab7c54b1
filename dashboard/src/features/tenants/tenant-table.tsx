import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { Tenant } from '../../api/client.ts';
import parts from '../../components/components.module.css';
import { text } from '../../lib/messages.ts';
import { useAppearance } from '../../theme/appearance.ts';
import bulkStyles from './bulk/bulk.module.css';
import { bulkText } from './bulk/messages.ts';
import { type SelectRow, selection } from './bulk/selection.ts';
import { SelectAll } from './bulk/selection-bar.tsx';
import { isAlarm, type SortKey, type View } from './filter.ts';
import { type ColumnKey, chosenColumns, columns, fitting } from './list/columns.tsx';
import { tenantsText } from './messages.ts';
import { TenantMenu } from './tenant-menu.tsx';
import styles from './tenants.module.css';

interface TenantTableProps {
  tenants: readonly Tenant[];
  view: View;
  onSort(key: SortKey): void;
  /** With it, rows can be selected. */
  onSelect?: SelectRow | undefined;
}

const narrow = matchMedia('(max-width: 720px)');
/** In px, as in the tokens `--row-…`. */
const rowHeights = { comfortable: 40, compact: 36 };
const narrowRow = 64;

/** All matching tenants; only visible rows are rendered. */
export function TenantTable({ tenants, view, onSort, onSelect }: TenantTableProps) {
  const selected = selection.use();
  const { density } = useAppearance();
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [width, setWidth] = useState(0);
  const chosen = chosenColumns.use();
  const shown = useMemo(() => fitting(chosen, width, narrow.matches), [chosen, width]);
  useLayoutEffect(() => {
    // The content above the table may change.
    const place = new ResizeObserver(() => {
      setTop(body.current?.offsetTop ?? 0);
      setWidth(body.current?.offsetWidth ?? 0);
    });
    place.observe(document.body);
    return () => place.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: tenants.length,
    estimateSize: () => (narrow.matches ? narrowRow : rowHeights[density]),
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => tenants[index]?.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another density has rows of another height
  useEffect(() => {
    const measure = (): void => rows.measure();
    measure();
    narrow.addEventListener('change', measure);
    return () => narrow.removeEventListener('change', measure);
  }, [rows, density]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: only rows in view are drawn, each positioned separately; a table can't have that
    <div
      className={styles.table}
      role="table"
      aria-label={text.tenants}
      aria-rowcount={tenants.length + 1}
      data-selectable={onSelect !== undefined || undefined}
      style={{ '--chosen': shown.map((key) => columns[key].width).join(' ') } as CSSProperties}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="row" className={styles.columns} tabIndex={-1}>
        {onSelect && (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div role="columnheader" tabIndex={-1} className={styles.box}>
            <SelectAll shown={tenants} />
          </div>
        )}
        {(['name', ...shown] as const).map((key) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            key={key}
            role="columnheader"
            tabIndex={-1}
            className={styles[key]}
            aria-sort={view.sort !== key ? 'none' : view.descending ? 'descending' : 'ascending'}
          >
            <button type="button" onClick={() => onSort(key)}>
              {tenantsText.list.columns[key]}
              {view.sort === key && <span aria-hidden="true">{view.descending ? ' ↓' : ' ↑'}</span>}
            </button>
          </div>
        ))}
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        <div role="columnheader" tabIndex={-1} className={styles.actions}>
          <span className={parts.spoken}>{tenantsText.list.columns.actions}</span>
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div ref={body} role="rowgroup" className={styles.body} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const tenant = tenants[index];
          if (!tenant) return null;
          const { id } = tenant;
          return (
            <Row
              key={id}
              tenant={tenant}
              index={index}
              start={start - top}
              selected={selected.has(id)}
              shown={shown}
              onSelect={onSelect}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  tenant: Tenant;
  index: number;
  start: number;
  shown: readonly ColumnKey[];
  selected: boolean;
  onSelect: SelectRow | undefined;
}

const Row = memo(({ tenant, index, start, shown, selected, onSelect }: RowProps) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  <div
    role="row"
    tabIndex={-1}
    aria-rowindex={index + 2}
    className={styles.row}
    style={{ transform: `translateY(${start}px)` }}
    data-selected={selected || undefined}
    data-alarm={isAlarm(tenant) || undefined}
  >
    {onSelect && (
      <Cell name="box">
        <SelectBox tenant={tenant} selected={selected} onSelect={onSelect} />
      </Cell>
    )}
    <Cell name="name">
      <Link to={`/tenants/${tenant.id}`}>{tenant.name}</Link>
      <span className={styles.fine}>{tenant.slug}</span>
    </Cell>
    {shown.map((key) => (
      <Cell key={key} name={key}>
        {columns[key].cell(tenant)}
      </Cell>
    ))}
    <Cell name="actions">
      <TenantMenu tenant={tenant} />
    </Cell>
  </div>
));

const Cell = ({ name, children }: { name: string; children: React.ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: as above
  <div role="cell" className={styles[name]}>
    {children}
  </div>
);

interface SelectBoxProps {
  tenant: Pick<Tenant, 'id' | 'name'>;
  selected: boolean;
  onSelect: SelectRow;
}

/** Selects a row; with Shift, all rows from the last chosen one. */
const SelectBox = memo(({ tenant: { id, name }, selected, onSelect }: SelectBoxProps) => (
  <label className={bulkStyles.one}>
    <input
      type="checkbox"
      aria-label={bulkText.selectOne(name)}
      checked={selected}
      onChange={(event) => {
        const { nativeEvent, target } = event;
        onSelect(id, target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true);
      }}
    />
  </label>
));
