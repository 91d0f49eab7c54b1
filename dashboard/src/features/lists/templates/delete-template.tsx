import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { listsText } from '../messages.ts';
import { templatesQuery } from '../queries.ts';

interface DeleteTemplateProps {
  id: string;
  name: string;
  onDeleted(name: string): void;
  onClose(): void;
}

export function DeleteTemplate({ id, name, onDeleted, onClose }: DeleteTemplateProps) {
  const { deleteTitle, deleteHint, deleteSubmit } = listsText.templates;
  return (
    <Confirm
      bad
      title={deleteTitle(name)}
      hint={deleteHint}
      submit={deleteSubmit}
      act={() => dataOf(api.DELETE('/api/import-templates/{id}', { params: { path: { id } } }))}
      onDone={() => {
        onDeleted(name);
        void queryClient.invalidateQueries({ queryKey: templatesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}
