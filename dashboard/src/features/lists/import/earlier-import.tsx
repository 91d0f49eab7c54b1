import { useMay } from '../../accounts/session/session.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { ImportResult, ListKey } from '../queries.ts';
import { UndoImport } from './undo-import.tsx';

/** Says that a list whose columns were changed is in the tenant already, as it was before. */
export function EarlierImport({ listKey, result }: { listKey: ListKey; result: ImportResult }) {
  const operator = useMay('operator');
  // What it changed of others can't be taken back.
  if (result.imported === 0 && !result.error) return null;
  const { earlier, earlierBroken } = listsText.result;
  return (
    <div className={`${styles.notice} ${styles.cardHead}`}>
      <p>{result.imported === 0 ? earlierBroken : earlier(result.imported)}</p>
      {operator && <UndoImport listKey={listKey} />}
    </div>
  );
}
