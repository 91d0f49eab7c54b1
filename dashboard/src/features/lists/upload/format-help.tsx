import parts from '../../../components/components.module.css';
import { DataTable } from '../../../components/data/data-table.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';

/** Sample lists for first-time users. */
export function FormatHelp() {
  const { title, points, example, exampleColumns, exampleRows } = listsText.formatHelp;
  return (
    <section className={`${parts.card} ${styles.teaching}`}>
      <h2>{title}</h2>
      <ul className={styles.points}>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <DataTable
        label={example}
        scrolls
        columns={exampleColumns.map((name, at) => ({ name, cell: (row: readonly string[]) => row[at] }))}
        rows={exampleRows}
        keyOf={([name = '']) => name}
      />
    </section>
  );
}
