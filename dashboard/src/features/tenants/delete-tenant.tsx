import { useState } from 'react';
import { api, dataOf, type Tenant } from '../../api/client.ts';
import { queryClient, tenantsQuery } from '../../api/queries.ts';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { CheckField } from '../../components/form/check-field.tsx';
import { tenantsText } from './messages.ts';

interface DeleteTenantProps {
  tenant: Pick<Tenant, 'id' | 'name' | 'slug'>;
  onClose(): void;
  onDeleted(): void;
}

/** Asks for the tenant's short name before it deletes anything. */
export function DeleteTenant({ tenant: { id, name, slug }, onClose, onDeleted }: DeleteTenantProps) {
  const [files, setFiles] = useState(false);
  const remove = () => {
    const query = { remove_files: files ? ('true' as const) : ('false' as const) };
    return dataOf(api.DELETE('/api/tenants/{id}', { params: { path: { id }, query } }));
  };
  const removed = (): void => {
    notify(tenantsText.remove.done(name));
    onDeleted();
    queryClient.setQueryData(tenantsQuery.queryKey, (known) => known?.filter((tenant) => tenant.id !== id));
    void queryClient.invalidateQueries({ queryKey: tenantsQuery.queryKey });
  };
  return (
    <Confirm
      bad
      title={tenantsText.remove.title(name)}
      hint={tenantsText.remove.hint}
      submit={tenantsText.remove.submit}
      typed={slug}
      act={remove}
      onDone={removed}
      onClose={onClose}
    >
      <CheckField
        label={tenantsText.remove.files}
        hint={files ? tenantsText.remove.filesHint : tenantsText.remove.keptHint}
        checked={files}
        onChange={setFiles}
      />
    </Confirm>
  );
}
