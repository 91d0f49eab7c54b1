import { overviewText } from './messages.ts';
import styles from './overview.module.css';
import { drawTimes, summaryOf } from './times.ts';

const width = 160;
const height = 26;

/** Response times as a small line; a bar stands where there was no answer. */
export function Sparkline({ name, times }: { name: string; times: readonly (number | null)[] }) {
  const { line, gaps } = drawTimes(times, width, height);
  return (
    <svg
      width={160}
      height={30}
      className={styles.spark}
      role="img"
      aria-label={overviewText.line(name, summaryOf(times))}
      viewBox={`-2 -2 ${width + 4} ${height + 4}`}
      preserveAspectRatio="none"
    >
      <line className={styles.floor} x1={0} x2={width} y1={height} y2={height} />
      {gaps.map((x) => (
        <line key={x} className={styles.silent} x1={x} x2={x} y1={height * 0.25} y2={height} />
      ))}
      <path className={styles.times} d={line} />
    </svg>
  );
}
