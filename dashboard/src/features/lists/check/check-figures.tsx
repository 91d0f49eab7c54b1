import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { Findings } from '../queries.ts';
import { Figures } from '../steps/figures.tsx';

/** How many people can be imported, and how many rows repeat them, are left out, or are worth a look. */
export function CheckFigures({ findings }: { findings: Findings }) {
  const { importable, repeated, rejected, remarked, composed, known, unknown } = listsText.check;
  const { total, valid_count, duplicate_count, error_count, warning_count, tenant_duplicates: asked } = findings;
  return (
    <>
      <Figures
        figures={[
          { name: importable, count: valid_count - duplicate_count, tone: 'good' },
          { name: repeated, count: duplicate_count, tone: 'warn' },
          { name: rejected, count: error_count, tone: 'bad' },
          { name: remarked, count: warning_count, tone: 'warn' },
        ]}
      />
      <p className={styles.fine}>{composed(total, valid_count - duplicate_count, duplicate_count, error_count)}</p>
      <p className={styles.fine}>{asked ? known(asked.found, asked.checked) : unknown}</p>
    </>
  );
}
