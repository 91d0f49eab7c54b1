import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { download } from '../../../lib/save-file.ts';
import { listsText } from '../messages.ts';
import type { StepProps } from '../steps/state.ts';

/** Downloads the left-out rows with the reasons. */
export function RejectedRows({ listKey: { tenantId, jobId } }: Pick<StepProps, 'listKey'>) {
  const save = useMutation({
    mutationFn: () => download(`/api/tenants/${tenantId}/list-loader/${jobId}/errors.csv`),
    onError: notifyError,
  });
  return (
    <Button onClick={() => save.mutate()} disabled={save.isPending} title={listsText.check.downloadHint}>
      <Icon name="download" />
      {listsText.check.download}
    </Button>
  );
}
