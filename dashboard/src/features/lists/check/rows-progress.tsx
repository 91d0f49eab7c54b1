import { Progress } from '../../../components/data/progress.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { RowsRead } from '../steps/state.ts';

interface RowsProgressProps {
  label: string;
  /** undefined: running, with no progress reported yet. */
  check: RowsRead | undefined;
}

/** Progress of the check of a list's rows. */
export function RowsProgress({ label, check }: RowsProgressProps) {
  const { opening, read, asking } = listsText.check;
  const reading = check !== undefined && check.processed < check.total;
  return (
    <>
      <Progress label={label} {...(reading ? { percent: (100 * check.processed) / check.total } : {})} />
      <p className={styles.fine}>{reading ? read(check.processed, check.total) : check ? asking : opening}</p>
    </>
  );
}
