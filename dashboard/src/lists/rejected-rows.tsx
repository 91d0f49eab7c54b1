import { useMutation } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { saveAnswer } from '../parts/save-file.ts';
import { tellError } from '../parts/toasts.tsx';
import { listsText } from '../text/lists.ts';
import { pathOf } from './list-queries.ts';
import { nameOf } from './name-of.ts';
import type { StepProps } from './state.ts';

/** Saves the rows that were left out, with the reasons. */
export function RejectedRows({ job, listKey }: StepProps) {
  const save = useMutation({
    mutationFn: () =>
      saveAnswer(
        api.GET('/api/tenants/{id}/list-loader/{job_id}/errors.csv', { params: pathOf(listKey), parseAs: 'blob' }),
        listsText.check.downloadName(nameOf(job)),
      ),
    onError: tellError,
  });
  return (
    <Button onClick={() => save.mutate()} disabled={save.isPending} title={listsText.check.downloadHint}>
      <Icon name="down" />
      {listsText.check.download}
    </Button>
  );
}
