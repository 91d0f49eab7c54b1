import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';
import { ErrorNote } from './error-note.tsx';

/** In the place of what is not here yet, or can't be had. */
export const Waiting = ({ error }: { error: unknown }) =>
  error ? <ErrorNote error={error} /> : <p className={styles.waiting}>{text.loading}</p>;
