import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import columns from '../columns/columns.module.css';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { type ListKey, type Mapping, mappingsQuery, pathOf, refreshLists, templatesQuery } from '../queries.ts';
import { TemplateForm } from './template-form.tsx';

interface TemplatesProps {
  listKey: ListKey;
  mappings: readonly Mapping[];
  /** The template of the mappings. */
  templateId: string | null;
  /** Whether the mappings can be saved. */
  ready: boolean;
  onApplied(): void;
}

const none = 'none';

/** Templates: column choices saved for lists of the same layout, to apply or save. */
export function Templates({ listKey, mappings, templateId, ready, onApplied }: TemplatesProps) {
  const { data } = useQuery(templatesQuery);
  const operator = useHasRole('operator');
  const [chosen, setChosen] = useState(none);
  const [asking, setAsking] = useState<'save' | 'rename' | 'delete'>();
  const close = (): void => setAsking(undefined);
  /** The last action's result; a toast would cover the next button. */
  const [said, setSaid] = useState('');
  const words = listsText.templates;
  const templates = data?.templates ?? [];
  const taken = templates.find(({ id }) => id === chosen);
  const nameOf = (id: string): string => plainText(templates.find((one) => one.id === id)?.name ?? '');
  const apply = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/tenants/{id}/list-loader/{job_id}/apply-template', {
          params: pathOf(listKey),
          body: { template_id: chosen },
        }),
      ),
    onSuccess(applied) {
      queryClient.setQueryData(mappingsQuery(listKey).queryKey, applied);
      void refreshLists(listKey.tenantId);
      onApplied();
      setSaid(words.applied(nameOf(chosen)));
      setChosen(none);
    },
  });
  const from = templateId && nameOf(templateId);
  if (!operator) return from ? <p className={styles.fine}>{words.from(from)}</p> : null;
  return (
    <section className={columns.templates} aria-label={words.title}>
      {templates.length > 0 && (
        <>
          <SelectField
            bare
            label={words.choose}
            value={chosen}
            options={{ [none]: words.choose, ...Object.fromEntries(templates.map(({ id }) => [id, nameOf(id)])) }}
            onChange={setChosen}
          />
          <Button disabled={chosen === none || apply.isPending} onClick={() => apply.mutate()}>
            {words.apply}
          </Button>
        </>
      )}
      {taken && (
        <>
          <Button variant="quiet" onClick={() => setAsking('rename')}>
            {words.rename}
          </Button>
          <Button variant="quiet" onClick={() => setAsking('delete')}>
            {words.delete}
          </Button>
        </>
      )}
      <span className={styles.fine} role="status">
        {said || (from ? words.from(from) : words.hint)}
      </span>
      <Button disabled={!ready} onClick={() => setAsking('save')}>
        {words.save}
      </Button>
      <ErrorNote error={apply.error} />
      {asking === 'delete' && (
        <DeleteTemplate
          id={chosen}
          name={nameOf(chosen)}
          onDeleted={(name) => {
            setChosen(none);
            setSaid(words.deleted(name));
          }}
          onClose={close}
        />
      )}
      {asking === 'rename' && taken && (
        <TemplateForm
          words={words.renaming}
          names={{ name: taken.name, description: taken.description ?? '' }}
          save={(names) =>
            dataOf(api.PUT('/api/import-templates/{id}', { params: { path: { id: taken.id } }, body: names }))
          }
          onSaved={(name) => setSaid(words.renamed(name))}
          onClose={close}
        />
      )}
      {asking === 'save' && (
        <TemplateForm
          words={words.saving}
          save={(names) => dataOf(api.POST('/api/import-templates', { body: { ...names, mappings: [...mappings] } }))}
          onSaved={(name) => setSaid(words.saved(name))}
          onClose={close}
        />
      )}
    </section>
  );
}

interface DeleteTemplateProps {
  id: string;
  name: string;
  onDeleted(name: string): void;
  onClose(): void;
}

function DeleteTemplate({ id, name, onDeleted, onClose }: DeleteTemplateProps) {
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
