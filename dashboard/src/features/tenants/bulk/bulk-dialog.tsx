import { useState } from 'react';
import type { Tenant } from '../../../api/client.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { tagsIn } from '../list/tags.tsx';
import { Names } from './confirm-control.tsx';
import { bulkText } from './messages.ts';
import { type BulkRequest, startBulk } from './operations.ts';
import { selection } from './selection.ts';

export const bulkWork = ['deploy', 'rollback', 'backup', 'check', 'tag', 'configure'] as const;
export type BulkWork = (typeof bulkWork)[number];
/** What the user typed, by the name of the field. */
type Given = Record<string, string>;

interface BulkDialogProps {
  action: BulkWork;
  selected: readonly Tenant[];
  onClose(): void;
}

/** The fields of an action, and the parameters that they make; undefined: something is missing. */
const parametersOf: Record<BulkWork, (given: Given) => BulkRequest['parameters'] | undefined> = {
  deploy: ({ version = '', ref = '' }) => ({
    ...(version.trim() === '' ? {} : { target_version: version.trim() }),
    ...(ref.trim() === '' ? {} : { target_ref: ref.trim() }),
  }),
  rollback: ({ version = '' }) => (version.trim() === '' ? {} : { target_version: version.trim() }),
  backup: () => ({}),
  check: () => ({}),
  tag({ add = '', remove = '' }) {
    const [add_tags, remove_tags] = [tagsIn(add), tagsIn(remove)];
    return add_tags.length + remove_tags.length > 0 ? { add_tags, remove_tags } : undefined;
  },
  configure({ field = 'custom_env', entry = '', value = '' }) {
    if (field !== 'custom_env') return value.trim() === '' ? undefined : { config: { [field]: value } };
    return entry.trim() === ''
      ? undefined
      : { config: { custom_env: { [entry.trim()]: value === '' ? null : value } } };
  },
};

/** Asks for the details of a bulk action and starts it on the manager. */
export function BulkDialog({ action, selected, onClose }: BulkDialogProps) {
  const [given, setGiven] = useState<Given>({});
  const { title, hint, submit } = bulkText.work[action];
  const { fields, configFields, which } = bulkText;
  const newest = newestOf(selected);
  const input = (name: keyof typeof fields, autoFocus = false, hint = fields[name].hint) => (
    <TextField
      name={name}
      label={fields[name].label}
      hint={hint}
      value={given[name] ?? ''}
      onChange={(value) => setGiven((before) => ({ ...before, [name]: value }))}
      autoFocus={autoFocus}
    />
  );
  const parameters = parametersOf[action](given);
  return (
    <Confirm
      title={title(selected.length)}
      hint={hint}
      submit={submit(selected.length)}
      ready={parameters !== undefined}
      act={() => startBulk(action, selected, parameters)}
      onDone={() => selection.set({})}
      onClose={onClose}
    >
      {action === 'deploy' && (
        <>
          {input('version', true, newest === undefined ? fields.version.hint : bulkText.deploying.newest(newest))}
          {input('ref')}
        </>
      )}
      {action === 'rollback' && input('version', true)}
      {action === 'tag' && (
        <>
          {input('add', true)}
          {input('remove')}
        </>
      )}
      {action === 'configure' && (
        <>
          <SelectField
            label={bulkText.field}
            value={given.field ?? 'custom_env'}
            options={configFields}
            onChange={(field: string) => setGiven((before) => ({ ...before, field }))}
          />
          {(given.field ?? 'custom_env') === 'custom_env' && input('entry')}
          {input('value')}
        </>
      )}
      <Names
        label={which}
        names={selected.map((tenant) => ({
          name: tenant.name,
          ...(action === 'deploy' ? { why: changeOf(tenant, given) } : {}),
        }))}
      />
    </Confirm>
  );
}

/** What a deployment changes: `v1.0.0 → v1.1.0`. */
function changeOf({ version: deployed, deployed_at }: Tenant, { version = '', ref = '' }: Given): string {
  const { again, change, latest, otherCommit, sameOrNewest } = bulkText.deploying;
  const wanted = version.trim() || ref.trim();
  if (deployed_at === null) return change(bulkText.whyLeftOut.notDeployed, wanted || latest);
  if (deployed === null) return change(otherCommit, wanted || sameOrNewest);
  return wanted === '' || wanted === deployed ? again(deployed) : change(deployed, wanted);
}

/** The newest version of all that have one; undefined: they differ, or no one has an update. */
function newestOf(tenants: readonly Tenant[]): string | undefined {
  const versions = new Set(tenants.flatMap(({ update_available, version }) => update_available ?? version ?? []));
  const [newest] = versions;
  const isUpdate = tenants.some(({ update_available }) => update_available === newest);
  return versions.size === 1 && isUpdate ? newest : undefined;
}
