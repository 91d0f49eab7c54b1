import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, dataOf } from '../../api/client.ts';
import { useStream } from '../../api/live.ts';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import { backupsText } from './messages.ts';
import { refreshBackups } from './queries.ts';

/** Starts a backup of a tenant on request, and reports how it ended. */
export function useCreateBackup(id: string): { create(): void; underWay: boolean } {
  const [startedId, setStartedId] = useState<string>();
  useStream(startedId === undefined ? undefined : { stream: 'deployment', id: startedId }, (message) => {
    if (message.type !== 'complete') return;
    const { status, error } = message;
    setStartedId(undefined);
    const reason = error?.message ?? status;
    if (status === 'success') notify(backupsText.made);
    else notifyError(new ApiError({ status: 0, code: 'backup_failed', message: backupsText.notMade(reason) }));
  });
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/tenants/{id}/backups', { params: { path: { id }, query: { wait: 'false' } } })),
    onSuccess: (answer) => setStartedId('deployment_id' in answer ? answer.deployment_id : undefined),
    onError: notifyError,
    onSettled: () => refreshBackups(id),
  });
  return { create: () => mutate(), underWay: isPending || startedId !== undefined };
}
