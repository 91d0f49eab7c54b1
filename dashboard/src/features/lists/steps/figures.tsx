import styles from '../lists.module.css';
import { listsText } from '../messages.ts';

interface Figure {
  name: string;
  count: number;
  tone: 'good' | 'warn' | 'bad' | 'plain';
}

/** A row of counts; zeros are muted. */
export const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <dl className={styles.figures}>
    {figures.map(({ name, count, tone }) => (
      <div key={name} data-tone={count > 0 ? tone : 'plain'}>
        <dt>{name}</dt>
        <dd>{listsText.count(count)}</dd>
      </div>
    ))}
  </dl>
);
