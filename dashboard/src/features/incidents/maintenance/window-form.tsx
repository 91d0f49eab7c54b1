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
import { type MaintenanceWindow, refreshMaintenance } from './queries.ts';

interface WindowValues {
  tenant_id: string;
  starts_at: string;
  ends_at: string;
  weekly: boolean;
  reason: string;
}

/** The wall-clock time of a zone, for an input. */
const inputOf = (at: Date, zone: string): string => clockIn(zone, at).toISOString().slice(0, 16);
const inHours = (hours: number): string => inputOf(new Date(Date.now() + hours * 3_600_000), timeZone());

const valuesOf = (window: MaintenanceWindow | undefined): WindowValues =>
  window
    ? {
        tenant_id: window.tenant_id ?? '',
        starts_at: inputOf(new Date(window.starts_at), window.time_zone),
        ends_at: inputOf(new Date(window.ends_at), window.time_zone),
        weekly: window.weekly,
        reason: window.reason,
      }
    : { tenant_id: '', starts_at: inHours(0), ends_at: inHours(2), weekly: false, reason: '' };

const { form: words } = maintenanceText;
const wrongTime = (value: string): string | undefined => (momentOf(value) ? undefined : words.missing);

/** Adds a maintenance window with times in the user's zone, or changes one with times in its own. */
export function WindowForm({ window, onClose }: { window?: MaintenanceWindow | undefined; onClose(): void }) {
  const zone = window?.time_zone ?? timeZone();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const form = useForm<WindowValues>({ defaultValues: valuesOf(window) });
  const { control } = form;
  // An input has no seconds, and not which of two equal hours it means: a time that was not touched stays exactly as it was.
  const timeOf = (field: 'starts_at' | 'ends_at', value: string): string =>
    window && value === valuesOf(window)[field] ? window[field] : (momentOf(value, zone)?.toISOString() ?? value);
  const { onSubmit, isPending, error } = useSubmission(form, {
    send({ tenant_id, starts_at, ends_at, weekly, reason }) {
      const body = {
        tenant_id: tenant_id || null,
        starts_at: timeOf('starts_at', starts_at),
        ends_at: timeOf('ends_at', ends_at),
        weekly,
        time_zone: zone,
        reason,
      };
      return window
        ? dataOf(api.PUT('/api/maintenance-windows/{id}', { params: { path: { id: window.id } }, body }))
        : dataOf(api.POST('/api/maintenance-windows', { body }));
    },
    onSuccess() {
      refreshMaintenance();
      onClose();
      notify(window ? maintenanceText.changed : maintenanceText.added);
    },
  });
  const choices = { '': maintenanceText.all, ...Object.fromEntries(tenants.map(({ id, name }) => [id, name])) };
  return (
    <Overlay place="middle" title={window ? words.changeTitle : words.title} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        <FormText control={control} name="reason" label={words.reason} autoFocus />
        <FormSelect control={control} name="tenant_id" label={words.tenant} options={choices} />
        <FormText
          control={control}
          name="starts_at"
          label={words.from}
          type="datetime-local"
          hint={words.zoneHint(zone)}
          validate={wrongTime}
        />
        <FormText control={control} name="ends_at" label={words.to} type="datetime-local" validate={wrongTime} />
        <FormCheck control={control} name="weekly" label={words.weekly} />
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {window ? words.save : words.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
