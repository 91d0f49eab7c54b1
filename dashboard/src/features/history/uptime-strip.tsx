import { dateFormat } from '../../lib/figures.ts';
import styles from './history.module.css';
import { historyText as words } from './messages.ts';

const dayMs = 86_400_000;
// Days are those of UTC.
const date = dateFormat({ dateStyle: 'medium', timeZone: 'UTC' });

interface UptimeStripProps {
  label: string;
  /** By day, today last; null: no checks. */
  days: readonly (number | null)[];
  objective: number;
}

const stateOf = (percent: number | null, objective: number): string =>
  percent === null ? 'none' : percent === 100 ? 'good' : percent >= objective ? 'fine' : percent >= 50 ? 'some' : 'bad';

/** A bar for each day; only those below the objective stand out. */
export const UptimeStrip = ({ label, days, objective }: UptimeStripProps) => (
  <div className={styles.strip} role="img" aria-label={label}>
    {days.map((percent, index) => {
      const at = new Date(Date.now() - (days.length - 1 - index) * dayMs);
      const day = at.toISOString().slice(0, 10);
      return (
        <span
          key={day}
          data-state={stateOf(percent, objective)}
          title={words.day(date.format(at), words.percent(percent))}
        />
      );
    })}
  </div>
);
