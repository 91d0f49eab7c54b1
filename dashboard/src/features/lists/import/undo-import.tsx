import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { listsText } from '../messages.ts';
import { type ListKey, pathOf, refreshLists } from '../queries.ts';

/** Undoes an import: removes the people that the list added. */
export function UndoImport({ listKey }: { listKey: ListKey }) {
  const [asking, setAsking] = useState(false);
  const { undo, undoTitle, undoHint, undoSubmit, kept: stay } = listsText.result;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{undo}</Button>
      {asking && (
        <Confirm
          bad
          title={undoTitle}
          hint={undoHint}
          submit={undoSubmit}
          act={() => dataOf(api.POST('/api/tenants/{id}/list-loader/{job_id}/undo', { params: pathOf(listKey) }))}
          onDone={({ kept }) => {
            if (kept > 0) notify(stay(kept));
            void refreshLists(listKey.tenantId);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
