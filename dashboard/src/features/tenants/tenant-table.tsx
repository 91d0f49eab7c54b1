import { FlexRender } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { text } from '../../lib/messages.ts';
import { useAppearance } from '../../theme/appearance.ts';
import { isAlarm } from './filter.ts';
import { type ColumnKey, narrow, widthsOf } from './list/columns.tsx';
import type { TenantTable as Table, TenantRow } from './list/use-tenant-table.tsx';
import styles from './tenants.module.css';

interface TenantTableProps {
  table: Table;
  shown: readonly ColumnKey[];
  selectable: boolean;
  /** The room for the columns changed. */
  onWidth(width: number): void;
}

/** In px, as in the tokens `--row-…`. */
const rowHeights = { comfortable: 40, compact: 36 };
const narrowRow = 64;

const windowSize = () => ({ width: innerWidth, height: innerHeight });

/** Calls back when the window's size changes. The first rendering has it already: to ask for it again forces a layout. */
function observeResize(_table: unknown, onResize: (size: ReturnType<typeof windowSize>) => void): () => void {
  const resized = (): void => onResize(windowSize());
  addEventListener('resize', resized);
  return () => removeEventListener('resize', resized);
}

/** All matching tenants; only visible rows are rendered. */
export function TenantTable(props: TenantTableProps) {
  const { density } = useAppearance();
  const [top, setTop] = useState<number>();
  return <VirtualTable key={density} {...props} rowHeight={rowHeights[density]} top={top} onTop={setTop} />;
}

interface VirtualTableProps extends TenantTableProps {
  rowHeight: number;
  /** Where the rows begin in the page, in px: they are rendered as soon as it is known how many have room. */
  top: number | undefined;
  onTop(top: number | undefined): void;
}

function VirtualTable({ table, shown, selectable, onWidth, rowHeight, top, onTop }: VirtualTableProps) {
  const [firstWindow] = useState(windowSize);
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The content above the table may change.
    const place = new ResizeObserver(() =>
      startTransition(() => {
        onTop(body.current?.offsetTop);
        onWidth(body.current?.offsetWidth ?? 0);
      }),
    );
    place.observe(document.body);
    return () => place.disconnect();
  }, [onWidth, onTop]);
  const { rows } = table.getRowModel();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (narrow.matches ? narrowRow : rowHeight),
    overscan: 4,
    useFlushSync: false,
    initialRect: firstWindow,
    observeElementRect: observeResize,
    // Only the user scrolls.
    scrollToFn: () => {},
    scrollMargin: top ?? 0,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  useEffect(() => {
    const measure = (): void => virtual.measure();
    narrow.addEventListener('change', measure);
    return () => narrow.removeEventListener('change', measure);
  }, [virtual]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: only rows in view are drawn, each positioned separately; a table can't have that
    <div
      className={styles.table}
      role="table"
      aria-label={text.tenants}
      aria-rowcount={rows.length + 1}
      data-selectable={selectable || undefined}
      style={{ '--chosen': widthsOf(shown) } as CSSProperties}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="row" className={styles.columns} tabIndex={-1}>
        {table.getFlatHeaders().map((header) => {
          const { column } = header;
          const sorted = column.getIsSorted();
          const content = <FlexRender header={header} />;
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div
              key={column.id}
              role="columnheader"
              tabIndex={-1}
              className={styles[column.id]}
              {...(column.getCanSort() && { 'aria-sort': sorted ? (`${sorted}ending` as const) : 'none' })}
            >
              {column.getCanSort() ? (
                <button type="button" onClick={column.getToggleSortingHandler()}>
                  {content}
                  {sorted && <span aria-hidden="true">{sorted === 'desc' ? ' ↓' : ' ↑'}</span>}
                </button>
              ) : (
                content
              )}
            </div>
          );
        })}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div ref={body} role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row || top === undefined) return null;
          return (
            <VirtualRow
              key={row.id}
              row={row}
              index={index}
              start={start - top}
              selected={row.getIsSelected()}
              shown={shown}
            />
          );
        })}
      </div>
    </div>
  );
}

interface VirtualRowProps {
  row: TenantRow;
  index: number;
  start: number;
  selected: boolean;
  shown: readonly ColumnKey[];
}

/** A change of one tenant replaces all rows of the table; only its own is rendered again. */
const isSame = (before: VirtualRowProps, now: VirtualRowProps): boolean =>
  before.row.original === now.row.original &&
  before.index === now.index &&
  before.start === now.start &&
  before.selected === now.selected &&
  before.shown === now.shown;

const VirtualRow = memo(
  ({ row, index, start, selected }: VirtualRowProps) => (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ transform: `translateY(${start}px)` }}
      data-selected={selected || undefined}
      data-alarm={isAlarm(row.original) || undefined}
    >
      {row.getVisibleCells().map((cell) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div key={cell.column.id} role="cell" className={styles[cell.column.id]}>
          <FlexRender cell={cell} />
        </div>
      ))}
    </div>
  ),
  isSame,
);
