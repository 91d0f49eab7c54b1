import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import parts from '../../components/components.module.css';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { LeaveGuard } from '../../components/feedback/leave-guard.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { Button } from '../../components/form/button.tsx';
import { FormText } from '../../components/form/form-fields.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useFocusRefused } from '../../hooks/use-focus-refused.ts';
import styles from './configuration.module.css';
import { EnvEditor } from './environment/env-editor.tsx';
import { groupNames, groups } from './fields.ts';
import { configurationText } from './messages.ts';
import { type Config, type ConfigChange, configQuery } from './queries.ts';
import { Review } from './review.tsx';
import { useConfigForm } from './use-config-form.ts';

const isStale = (error: unknown): boolean => error instanceof ApiError && error.code === 'invalid_state';

/** Reads the configuration again after another user changed it, so that the form can show the differences. */
function readAgainIfStale(error: unknown, tenantId: string): void {
  if (isStale(error)) void queryClient.invalidateQueries({ queryKey: configQuery(tenantId).queryKey });
}

/** Edits a configuration and shows the changes before saving. */
export function ConfigForm({ tenant, config }: { tenant: FullTenant; config: Config }) {
  const edited = useConfigForm(config);
  const form = useRef<HTMLFormElement>(null);
  const [reviewed, setReviewed] = useState<readonly ConfigChange[]>();
  const plan = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/tenants/{id}/config/plan', { params: { path: { id: tenant.id } }, body: edited.body })),
    onSuccess({ changes }) {
      if (changes.length > 0) return setReviewed(changes);
      edited.reset(config);
      notify(configurationText.noChange);
    },
    onError(error) {
      edited.refuse(error);
      readAgainIfStale(error, tenant.id);
    },
  });
  useFocusRefused(form, plan.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (edited.isFlawed) form.current?.querySelector<HTMLElement>('[data-invalid]:is(input, textarea)')?.focus();
    else if (edited.changes > 0 && !edited.overtaken && !plan.isPending) plan.mutate();
  };
  // Field errors are shown at their fields.
  const unplaced = plan.error instanceof ApiError && plan.error.issues.length > 0 ? null : plan.error;
  return (
    <>
      <form ref={form} className={styles.form} onSubmit={submit} noValidate>
        {groupNames.map((group) => (
          <section key={group} className={parts.card}>
            <PagePart title={configurationText.groups[group]} hint={configurationText.groupHints[group]} />
            <div className={styles.fields}>
              {groups[group].map(({ name, type }) => (
                <FormText
                  key={name}
                  control={edited.control}
                  name={name}
                  {...(type ? { type } : {})}
                  label={configurationText.fields[name].label}
                  hint={configurationText.fields[name].hint}
                />
              ))}
            </div>
          </section>
        ))}
        <EnvEditor control={edited.control} />
        {edited.changes > 0 && (
          <div className={styles.bar}>
            {edited.overtaken && (
              <Note
                tone="warn"
                title={configurationText.conflict.title}
                actions={<Button onClick={edited.rebase}>{configurationText.conflict.keep}</Button>}
              >
                <span>{configurationText.conflict.hint(edited.overtaken)}</span>
              </Note>
            )}
            <div role="status">
              <strong>{configurationText.changes(edited.changes)}</strong>
              {edited.isWrong && <p className={parts.wrong}>{configurationText.wrong}</p>}
            </div>
            <div className={styles.tools}>
              <Button onClick={() => edited.reset(config)}>{configurationText.discard}</Button>
              <Button variant="primary" type="submit" disabled={plan.isPending || edited.overtaken !== undefined}>
                {configurationText.review}
              </Button>
            </div>
            {!isStale(plan.error) && <ErrorNote error={unplaced} />}
          </div>
        )}
      </form>
      <LeaveGuard unsaved={edited.changes > 0} />
      {reviewed && (
        <Review
          tenant={tenant}
          body={edited.body}
          changes={reviewed}
          onSaved={edited.reset}
          onClose={() => setReviewed(undefined)}
          onRefused={(error) => readAgainIfStale(error, tenant.id)}
        />
      )}
    </>
  );
}
