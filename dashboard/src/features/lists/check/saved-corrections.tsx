import { useMutation, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { correctionsQuery, type KeptCorrection, type ListKey, pathOf } from '../queries.ts';

interface SavedCorrectionsProps {
  listKey: ListKey;
  onUndone(): void;
}

/** The corrections of a list that were saved, the latest first; each can be undone. */
export function SavedCorrections({ listKey, onUndone }: SavedCorrectionsProps) {
  const { data: corrections, error } = useQuery(correctionsQuery(listKey));
  const undo = useMutation({
    mutationFn: (correctionId: number) =>
      dataOf(
        api.DELETE('/api/tenants/{id}/list-loader/{job_id}/corrections/{correction_id}', {
          params: { path: { ...pathOf(listKey).path, correction_id: String(correctionId) } },
        }),
      ),
    onSuccess: onUndone,
  });
  const words = listsText.check.corrections;
  if (!corrections || corrections.length === 0) return <ErrorNote error={error} />;
  return (
    <details className={styles.saved}>
      <summary>{words.title(corrections.length)}</summary>
      <ErrorNote error={undo.error} />
      <ul>
        {corrections.toReversed().map((correction) => (
          <li key={correction.id}>
            <span>{described(correction)}</span>
            <Button variant="quiet" disabled={undo.isPending} onClick={() => undo.mutate(correction.id)}>
              {words.undo}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function described(correction: KeptCorrection): string {
  const { one, all, text } = listsText.check.corrections;
  const column = plainText(correction.column);
  if ('row' in correction) return one(correction.row, column, plainText(correction.value));
  const words = correction.match === 'cell' ? all : text;
  return words(column, plainText(correction.find), plainText(correction.replace));
}
