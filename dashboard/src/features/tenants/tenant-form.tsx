import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { tenantQuery } from '../../api/queries.ts';
import { type components, slugLength } from '../../api/schema.ts';
import styles from '../../components/components.module.css';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { Overlay } from '../../components/layout/overlays.tsx';
import { text } from '../../lib/messages.ts';
import { DnsCheck } from './form/dns-check.tsx';
import { deployFirst, type FirstDeployment, RepositoryCheck } from './form/repository-check.tsx';
import { useTenantDefaults } from './form/use-tenant-defaults.ts';
import { tagsIn } from './list/tags.tsx';
import { tenantsText } from './messages.ts';
import { refreshTenant } from './tenant-actions.ts';

type TenantChanges = components['schemas']['TenantChanges'];

interface TenantFormProps {
  /** The object to edit; a new one if undefined. */
  tenantId?: string;
  onClose(): void;
  onSaved(id: string): void;
}

/** Creates or edits a tenant, in a side panel. */
export function TenantForm({ tenantId, ...rest }: TenantFormProps) {
  const { createTitle, createHint, editTitle, editHint } = tenantsText.form;
  return (
    <Overlay
      place="side"
      title={tenantId ? editTitle : createTitle}
      hint={tenantId ? editHint : createHint}
      onClose={rest.onClose}
    >
      {tenantId ? <Change tenantId={tenantId} {...rest} /> : <Fields {...rest} />}
    </Overlay>
  );
}

function Change({ tenantId, ...rest }: Omit<TenantFormProps, 'tenantId'> & { tenantId: string }) {
  const { data: tenant, error } = useQuery(tenantQuery(tenantId));
  return tenant ? <Fields tenant={tenant} {...rest} /> : <Waiting error={error} />;
}

/** The API's codes that are about one field. */
const fieldOfCode: Record<string, string> = { slug_taken: 'slug' };

function wrongFields(error: unknown, values: { domain: string; api_domain: string }): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  if (error.code === 'domain_taken') {
    const field = error.message.includes(values.api_domain) ? 'api_domain' : 'domain';
    return { [field]: error.message };
  }
  const field = fieldOfCode[error.code];
  return field ? { [field]: error.message } : error.fields;
}

function Fields({ tenant, onClose, onSaved }: Omit<TenantFormProps, 'tenantId'> & { tenant?: FullTenant }) {
  const defaults = useTenantDefaults(!tenant);
  const [given, setGiven] = useState<Record<string, string>>({});
  const [first, setFirst] = useState<FirstDeployment>('');
  const set = (name: string) => (value: string) => setGiven((before) => ({ ...before, [name]: value }));
  const name = given.name ?? tenant?.name ?? '';
  const slug = given.slug ?? tenant?.slug ?? proposeSlug(name);
  const label = proposeSlug(slug);
  const proposed = label ? defaults.domainOf(label) : '';
  const domain = given.domain ?? tenant?.domain ?? proposed;
  const api_domain = given.api_domain ?? tenant?.api_domain ?? (domain ? `api.${domain}` : '');
  const git_repo = given.git_repo ?? (tenant ? tenant.git_repo : defaults.repository) ?? '';
  const notes = given.notes ?? tenant?.notes ?? '';
  const tags = given.tags ?? tenant?.tags.join(', ') ?? '';

  const save = useMutation({
    mutationFn: async () => {
      if (!tenant)
        return dataOf(
          api.POST('/api/tenants', { body: { name, slug, domain, api_domain, git_repo, notes, tags: tagsIn(tags) } }),
        );
      // Unchanged fields are not sent: a repository's credentials are masked.
      const body = { ...given, ...(given.tags === undefined ? {} : { tags: tagsIn(given.tags) }) } as TenantChanges;
      return dataOf(api.PUT('/api/tenants/{id}', { params: { path: { id: tenant.id } }, body }));
    },
    async onSuccess({ id }) {
      // The tenant exists in any case; its page offers the deployment again.
      if (first) await deployFirst(id, first).catch(notifyError);
      refreshTenant(id);
      if (tenant) notify(tenantsText.form.saved);
      onClose();
      onSaved(id);
    },
  });
  const wrong = wrongFields(save.error, { domain, api_domain });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextField
        name="name"
        label={tenantsText.form.name}
        value={name}
        onChange={set('name')}
        error={wrong.name}
        autoFocus
      />
      {!tenant && (
        <TextField
          name="slug"
          label={tenantsText.form.slug}
          hint={tenantsText.form.slugHint}
          value={slug}
          onChange={set('slug')}
          error={wrong.slug}
        />
      )}
      <TextField
        name="domain"
        label={tenantsText.form.domain}
        value={domain}
        onChange={set('domain')}
        error={wrong.domain}
      />
      <TextField
        name="api_domain"
        label={tenantsText.form.apiDomain}
        value={api_domain}
        onChange={set('api_domain')}
        error={wrong.api_domain}
      />
      <DnsCheck names={[domain, api_domain]} />
      <TextField
        name="git_repo"
        label={tenantsText.form.repository}
        hint={tenantsText.form.repositoryHint}
        value={git_repo}
        onChange={(address) => {
          set('git_repo')(address);
          setFirst('');
        }}
        error={wrong.git_repo}
      />
      {!tenant && <RepositoryCheck address={git_repo} chosen={first} onChoose={setFirst} />}
      <TextField
        name="tags"
        label={tenantsText.form.tags}
        hint={tenantsText.form.tagsHint}
        value={tags}
        onChange={set('tags')}
        error={wrong.tags ?? Object.entries(wrong).find(([name]) => name.startsWith('tags.'))?.[1]}
      />
      <TextField
        name="notes"
        label={tenantsText.form.notes}
        type="textarea"
        value={notes}
        onChange={set('notes')}
        error={wrong.notes}
      />
      {Object.keys(wrong).length === 0 && <ErrorNote error={save.error} />}
      <div className={styles.formEnd}>
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button variant="primary" type="submit" disabled={save.isPending}>
          {tenant ? tenantsText.form.save : first ? tenantsText.form.createAndDeploy : tenantsText.form.create}
        </Button>
      </div>
    </form>
  );
}

/** A short name out of a name: `Müller & Söhne 2` → `mueller-soehne-2`; empty where nothing is left. */
function proposeSlug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, slugLength.max)
    .replace(/(?<!-)-+$/, '');
}
