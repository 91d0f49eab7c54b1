import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Tenant } from '../api/client.ts';
import { queryClient, tenantsQuery } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Overlay } from '../parts/overlays.tsx';
import styles from '../parts/parts.module.css';
import { TextField } from '../parts/text-field.tsx';
import { tell } from '../parts/toasts.tsx';
import { text } from '../text/en.ts';

interface DeleteTenantProps {
  tenant: Pick<Tenant, 'id' | 'name' | 'slug'>;
  onClose(): void;
  onDeleted(): void;
}

/** Asks for the tenant's short name before it deletes anything. */
export function DeleteTenant({ tenant: { id, name, slug }, onClose, onDeleted }: DeleteTenantProps) {
  const [typed, setTyped] = useState('');
  const [files, setFiles] = useState(false);
  const remove = useMutation({
    mutationFn: () => {
      const query = { remove_files: files ? ('true' as const) : ('false' as const) };
      return dataOf(api.DELETE('/api/tenants/{id}', { params: { path: { id }, query } }));
    },
    onSuccess() {
      tell(text.remove.done(name));
      onDeleted();
      onClose();
      queryClient.setQueryData(tenantsQuery.queryKey, (known) => known?.filter((tenant) => tenant.id !== id));
      void queryClient.invalidateQueries({ queryKey: tenantsQuery.queryKey });
    },
  });
  return (
    <Overlay place="middle" title={text.remove.title(name)} hint={text.remove.hint} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === slug) remove.mutate();
        }}
      >
        <div className={styles.check}>
          <input
            id="remove-files"
            type="checkbox"
            checked={files}
            onChange={(event) => setFiles(event.target.checked)}
          />
          <label htmlFor="remove-files">{text.remove.files}</label>
          <span className={styles.hint}>{text.remove.filesHint}</span>
        </div>
        <TextField name="typed" label={text.remove.typed(slug)} value={typed} onChange={setTyped} autoFocus />
        <ErrorNote error={remove.error} />
        <div className={styles.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button look="danger" type="submit" disabled={typed !== slug || remove.isPending}>
            {text.remove.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
