import { ApiError } from '../../api/api-error.ts';
import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';

interface ErrorNoteProps {
  error: unknown;
  /** The remedy for an error code where the page knows more than the code. */
  whatToDo?: Record<string, string>;
}

/** The error, its remedy, and the request id for the manager's log. */
export function ErrorNote({ error, whatToDo }: ErrorNoteProps) {
  if (!error) return null;
  const { words, code, requestId } = error instanceof ApiError ? error : { words: '', code: '', requestId: undefined };
  const advice = whatToDo?.[code] ?? text.errors.whatToDo[code];
  return (
    <div className={styles.note} role="alert">
      <strong>{words || text.errors.unexpected}</strong>
      {advice && <span>{advice}</span>}
      {requestId && <span className={styles.fine}>{text.requestId(requestId)}</span>}
    </div>
  );
}
