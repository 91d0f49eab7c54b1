import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';
import { ErrorNote } from './error-note.tsx';

/** Lines where content will be, or the error that kept it away. */
export const Waiting = ({ error, lines = 6 }: { error: unknown; lines?: number }) =>
  error ? (
    <ErrorNote error={error} />
  ) : (
    <div className={styles.skeleton} role="status">
      <b className={styles.spoken}>{text.loading}</b>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines without content
        <span key={line} />
      ))}
    </div>
  );
