import { listsText } from '../text/lists.ts';
import { Figures } from './figures.tsx';
import type { Findings } from './list-queries.ts';
import styles from './lists.module.css';

/** How many rows can be imported, are left out, or are worth a look. */
export function CheckFigures({ findings }: { findings: Findings }) {
  const { importable, rejected, remarked, known, unknown } = listsText.check;
  const { valid_count, error_count, warning_count, tenant_duplicates: asked } = findings;
  return (
    <>
      <Figures
        figures={[
          { name: importable, count: valid_count, tone: 'good' },
          { name: rejected, count: error_count, tone: 'bad' },
          { name: remarked, count: warning_count, tone: 'warn' },
        ]}
      />
      <p className={styles.fine}>{asked ? known(asked.found, asked.checked) : unknown}</p>
    </>
  );
}
