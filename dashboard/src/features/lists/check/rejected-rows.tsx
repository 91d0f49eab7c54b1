import { useMutation } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { tellError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { saveAnswer } from '../../../lib/save-file.ts';
import { listsText } from '../messages.ts';
import { pathOf } from '../queries.ts';
import { nameOf } from '../steps/name-of.ts';
import type { StepProps } from '../steps/state.ts';

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
