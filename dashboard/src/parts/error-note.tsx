import { ApiError } from '../api/api-error.ts';
import { text } from '../text/en.ts';
import styles from './parts.module.css';

/** What went wrong, what to do, and under which number the manager's log has it. */
export function ErrorNote({ error }: { error: unknown }) {
  if (!error) return null;
  const { words, code, requestId } = error instanceof ApiError ? error : { words: '', code: '', requestId: undefined };
  const advice = text.errors.whatToDo[code];
  return (
    <div className={styles.note} role="alert">
      <strong>{words || text.errors.unexpected}</strong>
      {advice && <span>{advice}</span>}
      {requestId && <span className={styles.fine}>{text.requestId(requestId)}</span>}
    </div>
  );
}
