import { useQuery } from '@tanstack/react-query';
import { Controller, useForm } from 'react-hook-form';
import { tenantsQuery } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormText } from '../../../components/form/form-fields.tsx';
import { MultiSelect } from '../../../components/form/select.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { text } from '../../../lib/messages.ts';
import { registriesText } from './messages.ts';
import { type Registry, refreshRegistries, saveRegistry } from './queries.ts';

interface RegistryFormProps {
  /** undefined: a new one. */
  registry: Registry | undefined;
  onClose(): void;
}

interface Values {
  host: string;
  username: string;
  password: string;
  tenant_ids: string[];
  /** One per line. */
  repositories: string;
}

/** Creates or changes the credentials of a registry, in a side panel. */
export function RegistryForm({ registry, onClose }: RegistryFormProps) {
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const { host = '', username = '', tenant_ids = [], repositories = [] } = registry ?? {};
  const values = useForm<Values>({
    defaultValues: { host, username, password: '', tenant_ids, repositories: repositories.join('\n') },
  });
  const { control } = values;
  const { form } = registriesText;
  const { onSubmit, isPending, error } = useSubmission(values, {
    send: ({ password, repositories, ...given }) =>
      saveRegistry(registry?.id, {
        ...given,
        password: password === '' && registry ? registry.password : password,
        repositories: repositories.split('\n').flatMap((line) => line.trim() || []),
      }),
    onSuccess() {
      refreshRegistries();
      onClose();
      notify(form.saved);
    },
    // `repositories.0` is the field of all.
    errorsOf: ({ fields }) =>
      Object.fromEntries(Object.entries(fields).map(([path, rule]) => [path.replace(/\.\d+$/, ''), rule])),
  });
  return (
    <Overlay place="side" title={registry ? form.edit : form.add} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        <FormText control={control} name="host" label={form.host} hint={form.hostHint} required />
        <FormText control={control} name="username" label={form.username} autoComplete="off" required />
        <FormText
          control={control}
          name="password"
          label={form.password}
          type="password"
          autoComplete="new-password"
          hint={registry ? form.kept : ''}
          required={!registry}
        />
        <Controller
          control={control}
          name="tenant_ids"
          render={({ field }) => (
            <MultiSelect
              label={form.tenants}
              hint={form.tenantsHint}
              none={form.noTenants}
              options={tenants.map(({ id, name }) => ({ value: id, label: name }))}
              values={field.value}
              onChange={field.onChange}
            />
          )}
        />
        <FormText
          control={control}
          name="repositories"
          label={form.repositories}
          hint={form.repositoriesHint}
          type="textarea"
        />
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
