import { text } from '../text/en.ts';
import { ErrorNote } from './error-note.tsx';
import styles from './parts.module.css';

/** In the place of what is not here yet, or can't be had. */
export const Waiting = ({ error }: { error: unknown }) =>
  error ? <ErrorNote error={error} /> : <p className={styles.waiting}>{text.loading}</p>;
