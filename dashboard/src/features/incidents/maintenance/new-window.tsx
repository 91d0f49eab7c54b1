import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { api, dataOf } from '../../../api/client.ts';
import { tenantsQuery } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormCheck, FormSelect, FormText } from '../../../components/form/form-fields.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { clockIn, momentOf } from '../../../lib/figures.ts';
import { timeZone } from '../../../lib/language.ts';
import { text } from '../../../lib/messages.ts';
import { maintenanceText } from './messages.ts';
import { refreshMaintenance } from './queries.ts';

interface WindowValues {
  tenant_id: string;
  starts_at: string;
  ends_at: string;
  weekly: boolean;
  reason: string;
}

/** The wall-clock time in some hours, for an input. */
const inHours = (hours: number): string =>
  clockIn(timeZone, new Date(Date.now() + hours * 3_600_000))
    .toISOString()
    .slice(0, 16);

const { form: words } = maintenanceText;
const wrongTime = (value: string): string | undefined => (momentOf(value) ? undefined : words.missing);

/** Adds a maintenance window; times are in the user's zone. */
export function NewWindow({ onClose }: { onClose(): void }) {
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const form = useForm<WindowValues>({
    defaultValues: { tenant_id: '', starts_at: inHours(0), ends_at: inHours(2), weekly: false, reason: '' },
  });
  const { control } = form;
  const { onSubmit, isPending, error } = useSubmission(form, {
    send: ({ tenant_id, starts_at, ends_at, weekly, reason }) =>
      dataOf(
        api.POST('/api/maintenance-windows', {
          body: {
            tenant_id: tenant_id || null,
            starts_at: momentOf(starts_at)?.toISOString() ?? starts_at,
            ends_at: momentOf(ends_at)?.toISOString() ?? ends_at,
            weekly,
            time_zone: timeZone,
            reason,
          },
        }),
      ),
    onSuccess() {
      refreshMaintenance();
      onClose();
      notify(maintenanceText.added);
    },
  });
  const choices = { '': maintenanceText.all, ...Object.fromEntries(tenants.map(({ id, name }) => [id, name])) };
  return (
    <Overlay place="middle" title={words.title} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        <FormText control={control} name="reason" label={words.reason} autoFocus />
        <FormSelect control={control} name="tenant_id" label={words.tenant} options={choices} />
        <FormText
          control={control}
          name="starts_at"
          label={words.from}
          type="datetime-local"
          hint={words.zoneHint(timeZone)}
          validate={wrongTime}
        />
        <FormText control={control} name="ends_at" label={words.to} type="datetime-local" validate={wrongTime} />
        <FormCheck control={control} name="weekly" label={words.weekly} />
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
