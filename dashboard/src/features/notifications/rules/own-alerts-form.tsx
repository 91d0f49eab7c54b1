import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tenantsQuery } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { MultiSelect } from '../../../components/form/select.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { notificationsText } from '../messages.ts';
import { rulesText } from './messages.ts';
import { eventOptions, optionsOf, useTagOptions, useTenantOptions } from './names.ts';
import {
  type AlertEvent,
  type NotificationPreferences,
  preferencesQuery,
  type Severity,
  savePreferences,
} from './queries.ts';
import { QuietHoursFields } from './quiet-hours-fields.tsx';
import styles from './rules.module.css';

/** What the signed-in user wants to receive, and by which way. */
export function OwnAlertsForm() {
  const { data, error } = useQuery(preferencesQuery);
  const { data: tenants, error: tenantsError } = useQuery(tenantsQuery);
  const { title, hint } = rulesText.own;
  return (
    <>
      <PagePart title={title} hint={hint} />
      {data && tenants ? <Form kept={data} /> : <Waiting error={error ?? tenantsError} />}
    </>
  );
}

function Form({ kept }: { kept: NotificationPreferences }) {
  const { address, ...own } = kept;
  const [values, setValues] = useState(own);
  const tags = useTagOptions();
  const tenants = useTenantOptions();
  const texts = rulesText.own;
  const change = (changes: Partial<typeof own>): void => setValues({ ...values, ...changes });
  const save = useMutation({ mutationFn: () => savePreferences(values), onSuccess: () => notify(texts.saved) });
  return (
    <form
      className={`${parts.card} ${parts.form} ${styles.narrow}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <SelectField<Severity | ''>
        label={texts.severity}
        value={values.severity ?? ''}
        options={{ '': texts.nothing, ...notificationsText.severities }}
        onChange={(severity) => change({ severity: severity || null })}
      />
      {values.severity && (
        <>
          <MultiSelect
            label={texts.events}
            none={texts.anyEvent}
            options={eventOptions}
            values={values.events}
            onChange={(events) => change({ events: events as AlertEvent[] })}
          />
          <MultiSelect
            label={texts.tags}
            none={texts.anyTenant}
            options={tags}
            values={values.tags}
            onChange={(chosen) => change({ tags: chosen })}
          />
          <MultiSelect
            label={texts.tenants}
            hint={texts.tenantsHint}
            none={texts.anyTenant}
            options={optionsOf(tenants, values.tenant_ids)}
            values={values.tenant_ids}
            onChange={(tenant_ids) => change({ tenant_ids })}
          />
        </>
      )}
      <SelectField
        label={texts.email}
        hint={address === null ? texts.noAddress : texts.emailTo(address)}
        disabled={address === null}
        value={values.email}
        options={texts.emails}
        onChange={(email) => change({ email })}
      />
      <QuietHoursFields
        value={values.quiet_hours}
        hint={rulesText.quietHours.ofUser}
        onChange={(quiet_hours) => change({ quiet_hours })}
      />
      <ErrorNote error={save.error} />
      <div>
        <Button variant="primary" type="submit" disabled={save.isPending}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
