import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  /** Where names may repeat. */
  id?: string;
  name: string;
  cell(row: Row): ReactNode;
  /** Figures stand at the right, long texts may break, actions stay in view while the rest scrolls. */
  kind?: 'figure' | 'text' | 'action';
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** Stays a table in a narrow window and scrolls horizontally: for data that is read by column. */
  scrolls?: boolean;
}

/** A table; where there is no room for its columns, each row is a card. For hundreds of rows, not for thousands. */
export const DataTable = <Row,>({ label, columns, rows, keyOf, scrolls = false }: DataTableProps<Row>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={scrolls ? styles.wide : `${styles.wide} ${styles.cards}`} tabIndex={0} aria-label={label}>
    <table className={styles.table}>
      <thead>
        <tr>
          {columns.map(({ id, name, kind }) => (
            <th key={id ?? name} scope="col" data-kind={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ id, name, cell, kind }) => (
              <td key={id ?? name} data-kind={kind} data-name={name}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
