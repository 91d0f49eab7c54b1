import { useForm } from 'react-hook-form';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormCheck, FormText } from '../../../components/form/form-fields.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { text } from '../../../lib/messages.ts';
import { userErrorsOf } from './field-errors.ts';
import type { HandedOver } from './hand-over.tsx';
import { usersText } from './messages.ts';
import { refreshUsers } from './queries.ts';
import { suggestPassword } from './suggest-password.ts';
import { UserFields, type UserValues } from './user-fields.tsx';

interface NewUserProps {
  onClose(): void;
  onCreated(made: HandedOver): void;
}

/** Creates a user, in a side panel. */
export function NewUser({ onClose, onCreated }: NewUserProps) {
  const newUser = useForm<UserValues>({
    defaultValues: {
      username: '',
      email: '',
      role: 'operator',
      password: suggestPassword(),
      must_change_password: true,
    },
  });
  const { control } = newUser;
  const { onSubmit, isPending, error } = useSubmission(newUser, {
    send: (body) => dataOf(api.POST('/api/users', { body })),
    onSuccess(_made, { username, password }) {
      refreshUsers();
      onClose();
      onCreated({ username, password });
    },
    errorsOf: userErrorsOf,
  });
  const { form } = usersText;
  return (
    <Overlay place="side" title={form.createTitle} hint={form.createHint} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        <UserFields control={control} />
        <FormText control={control} name="password" label={form.password} hint={form.passwordHint} />
        <FormCheck control={control} name="must_change_password" label={form.mustChange} hint={form.mustChangeHint} />
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {form.submitNew}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
