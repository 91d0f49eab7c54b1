import { ApiError } from '../../api/api-error.ts';
import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';

interface ErrorNoteProps {
  error: unknown;
  /** What to do about a code, where this place knows more than the code alone. */
  whatToDo?: Record<string, string>;
}

/** What went wrong, what to do, and under which number the manager's log has it. */
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
