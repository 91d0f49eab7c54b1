import { upgradeText } from './messages.ts';
import type { Rehearsed } from './queries.ts';
import styles from './upgrade.module.css';

const texts = upgradeText.report;
type TableChange = Rehearsed['schema_changes'][number];
type PartChange = TableChange['columns'][number];

/** Added, removed and changed tables, columns and indexes. */
export function SchemaChanges({ changes }: { changes: readonly TableChange[] }) {
  if (changes.length === 0) return <p>{texts.noSchema}</p>;
  return (
    <ul className={styles.tables}>
      {changes.map(({ table, change, columns, indexes }) => (
        <li key={table}>
          <span className={styles.mono}>{table}</span> <Change of={change} />
          {change === 'changed' && (
            <ul>
              {columns.map((column) => (
                <Part key={column.name} name={texts.column(column.name)} part={column} />
              ))}
              {indexes.map((index) => (
                <Part key={index.name} name={texts.index(index.name)} part={index} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

const Change = ({ of }: { of: PartChange['change'] }) => <span data-change={of}>{texts.changes[of]}</span>;

const Part = ({ name, part: { change, before, after } }: { name: string; part: PartChange }) => (
  <li>
    {name} <Change of={change} />
    <span className={styles.form}>{change === 'changed' ? `${before} → ${after}` : (after ?? before)}</span>
  </li>
);
