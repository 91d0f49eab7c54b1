import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';
import { ErrorNote } from './error-note.tsx';

/** Placeholder for content that is loading or unavailable. */
export const Waiting = ({ error }: { error: unknown }) =>
  error ? <ErrorNote error={error} /> : <p className={styles.waiting}>{text.loading}</p>;
