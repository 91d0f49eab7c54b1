import { api, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { tell } from '../../components/feedback/toasts.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { listsText } from './messages.ts';
import { type ListJob, pathOf } from './queries.ts';

interface DeleteListProps {
  job: ListJob;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteList({ job, onClose, onDeleted }: DeleteListProps) {
  const { deleteTitle, deleteHint, deleteSubmit, deleted } = listsText.list;
  const name = plainText(job.filename);
  const key = { tenantId: job.tenant_id, jobId: job.id };
  return (
    <Confirm
      bad
      title={deleteTitle(name)}
      hint={deleteHint}
      submit={deleteSubmit}
      act={() => dataOf(api.DELETE('/api/tenants/{id}/list-loader/{job_id}', { params: pathOf(key) }))}
      onDone={() => {
        tell(deleted(name));
        onDeleted();
        void queryClient.invalidateQueries({ queryKey: ['lists', job.tenant_id, 'history'] });
      }}
      onClose={onClose}
    />
  );
}
