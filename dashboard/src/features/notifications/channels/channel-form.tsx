import { type Control, type UseFormSetValue, useForm, useWatch } from 'react-hook-form';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormCheck, FormSelect, FormText } from '../../../components/form/form-fields.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { text } from '../../../lib/messages.ts';
import { type ChannelValues, hasSecret, inputOf, newSigningSecret, valuesOf } from './channel-values.ts';
import { channelsText } from './messages.ts';
import { type Channel, refreshChannels, saveChannel } from './queries.ts';

interface ChannelFormProps {
  /** undefined: a new one. */
  channel: Channel | undefined;
  onClose(): void;
}

/** Creates or changes a channel, in a side panel. */
export function ChannelForm({ channel, onClose }: ChannelFormProps) {
  const values = useForm<ChannelValues>({ defaultValues: valuesOf(channel) });
  const { control, setValue } = values;
  const { form, kinds } = channelsText;
  const { onSubmit, isPending, error } = useSubmission(values, {
    send: (given) => saveChannel(channel?.id, inputOf(given, channel)),
    onSuccess() {
      refreshChannels();
      onClose();
      notify(form.saved);
    },
    // `config.recipients.0` is the field of all recipients.
    errorsOf: ({ fields }) =>
      Object.fromEntries(
        Object.entries(fields).map(([path, rule]) => [path.replace('config.', '').replace(/\.\d+$/, ''), rule]),
      ),
  });
  return (
    <Overlay place="side" title={channel ? form.edit : form.add} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        {!channel && <FormSelect control={control} name="kind" label={form.kind} options={kinds} />}
        <FormText control={control} name="name" label={form.name} required />
        <KindFields control={control} setValue={setValue} channel={channel} />
        <FormCheck control={control} name="enabled" label={form.enabled} />
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

interface FieldsProps {
  control: Control<ChannelValues>;
  setValue: UseFormSetValue<ChannelValues>;
  channel: Channel | undefined;
}

/** The fields of the chosen kind. */
function KindFields({ control, setValue, channel }: FieldsProps) {
  const kind = useWatch({ control, name: 'kind' });
  const { form } = channelsText;
  const hintOf = (field: string, hint: string): string => (hasSecret(channel, field) ? form.kept : hint);
  if (kind === 'email') return <EmailFields control={control} hintOf={hintOf} />;
  if (kind === 'ntfy')
    return (
      <>
        <FormText control={control} name="server" label={form.server} type="url" />
        <FormText control={control} name="topic" label={form.topic} />
        <FormText
          control={control}
          name="token"
          label={form.token}
          type="password"
          autoComplete="new-password"
          hint={hintOf('token', form.tokenHint)}
        />
      </>
    );
  return (
    <>
      <FormText control={control} name="url" label={form.url} hint={hintOf('url', form.urlHint[kind])} />
      {kind === 'webhook' && (
        <>
          <FormText control={control} name="secret" label={form.secret} hint={hintOf('secret', form.secretHint)} />
          <div>
            <Button onClick={() => setValue('secret', newSigningSecret())}>{form.generate}</Button>
          </div>
        </>
      )}
    </>
  );
}

function EmailFields({
  control,
  hintOf,
}: Pick<FieldsProps, 'control'> & { hintOf(field: string, hint: string): string }) {
  const { form } = channelsText;
  return (
    <>
      <FormText control={control} name="host" label={form.host} />
      <FormSelect control={control} name="security" label={form.security} options={form.securities} />
      <FormText control={control} name="port" label={form.port} />
      <FormText control={control} name="username" label={form.username} hint={form.usernameHint} />
      <FormText
        control={control}
        name="password"
        label={form.password}
        type="password"
        autoComplete="new-password"
        hint={hintOf('password', '')}
      />
      <FormText control={control} name="from" label={form.from} type="email" />
      <FormText control={control} name="recipients" label={form.recipients} hint={form.recipientsHint} />
    </>
  );
}
