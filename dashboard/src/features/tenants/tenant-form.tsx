import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { ApiError } from '../../api/api-error.ts';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { tenantQuery } from '../../api/queries.ts';
import { type components, slugLength } from '../../api/schema.ts';
import styles from '../../components/components.module.css';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { FormText } from '../../components/form/form-fields.tsx';
import { Overlay } from '../../components/layout/overlays.tsx';
import { useSubmission } from '../../hooks/use-submission.ts';
import { text } from '../../lib/messages.ts';
import { DnsCheck } from './form/dns-check.tsx';
import { deployFirst, type FirstDeployment, RepositoryCheck } from './form/repository-check.tsx';
import { useTenantDefaults } from './form/use-tenant-defaults.ts';
import { tagsIn } from './list/tags.tsx';
import { tenantsText } from './messages.ts';
import { refreshTenant } from './tenant-actions.ts';

const words = tenantsText.form;
type TenantChanges = components['schemas']['TenantChanges'];
/** What the user typed; other fields keep their value or follow a proposal. */
type Given = Partial<Record<'name' | 'slug' | 'domain' | 'api_domain' | 'git_repo' | 'notes' | 'tags', string>>;

interface TenantFormProps {
  /** The object to edit; a new one if undefined. */
  tenantId?: string;
  onClose(): void;
  onSaved(id: string): void;
}

/** Creates or edits a tenant, in a side panel. */
export function TenantForm({ tenantId, ...rest }: TenantFormProps) {
  const { createTitle, createHint, editTitle, editHint } = words;
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
const fieldOfCode: Record<string, string> = { slug_taken: 'slug', domain_taken: 'domain' };

function wrongFields({ code, message, fields }: ApiError, api_domain: string): Record<string, string> {
  const field = code === 'domain_taken' && message.includes(api_domain) ? 'api_domain' : fieldOfCode[code];
  if (field) return { [field]: message };
  return Object.fromEntries(Object.entries(fields).map(([path, rule]) => [path.split('.')[0], rule]));
}

function Fields({ tenant, onClose, onSaved }: Omit<TenantFormProps, 'tenantId'> & { tenant?: FullTenant }) {
  const defaults = useTenantDefaults(!tenant);
  const form = useForm<Given>();
  const { control } = form;
  const given = form.watch();
  const name = given.name ?? tenant?.name ?? '';
  const slug = given.slug ?? tenant?.slug ?? proposeSlug(name);
  const label = proposeSlug(slug);
  const proposed = label ? defaults.domainOf(label) : '';
  const domain = given.domain ?? tenant?.domain ?? proposed;
  const api_domain = given.api_domain ?? tenant?.api_domain ?? (domain ? `api.${domain}` : '');
  const git_repo = given.git_repo ?? (tenant ? tenant.git_repo : defaults.repository) ?? '';
  const notes = given.notes ?? tenant?.notes ?? '';
  const tags = given.tags ?? tenant?.tags.join(', ') ?? '';
  const [chosen, setChosen] = useState<{ of: string; first: FirstDeployment }>();
  const first = chosen?.of === git_repo ? chosen.first : '';

  const { onSubmit, isPending, error } = useSubmission(form, {
    send: async () => {
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
      if (tenant) notify(words.saved);
      onClose();
      onSaved(id);
    },
    errorsOf: (refusal) => wrongFields(refusal, api_domain),
  });
  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <FormText control={control} name="name" label={words.name} proposed={name} autoFocus />
      {!tenant && <FormText control={control} name="slug" label={words.slug} hint={words.slugHint} proposed={slug} />}
      <FormText control={control} name="domain" label={words.domain} proposed={domain} />
      <FormText control={control} name="api_domain" label={words.apiDomain} proposed={api_domain} />
      <DnsCheck names={[domain, api_domain]} />
      <FormText
        control={control}
        name="git_repo"
        label={words.repository}
        hint={words.repositoryHint}
        proposed={git_repo}
      />
      {!tenant && (
        <RepositoryCheck
          address={git_repo}
          chosen={first}
          onChoose={(next) => setChosen({ of: git_repo, first: next })}
        />
      )}
      <FormText control={control} name="tags" label={words.tags} hint={words.tagsHint} proposed={tags} />
      <FormText control={control} name="notes" label={words.notes} type="textarea" proposed={notes} />
      <ErrorNote error={error} />
      <div className={styles.formEnd}>
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button variant="primary" type="submit" disabled={isPending}>
          {tenant ? words.save : first ? words.createAndDeploy : words.create}
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
