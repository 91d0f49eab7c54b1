import { useForm } from 'react-hook-form';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { text } from '../../../lib/messages.ts';
import { userErrorsOf } from './field-errors.ts';
import { usersText } from './messages.ts';
import { changeUser, type User } from './queries.ts';
import { UserFields, type UserValues } from './user-fields.tsx';

interface ChangeUserProps {
  user: User;
  isSelf: boolean;
  onClose(): void;
}

/** Edits a user's name, e-mail address and role, in a side panel. */
export function ChangeUser({ user, isSelf, onClose }: ChangeUserProps) {
  const { username, email, role } = user;
  const changed = useForm<UserValues>({ defaultValues: { username, email, role } });
  const { onSubmit, isPending, error } = useSubmission(changed, {
    send: ({ username, email, role }) => changeUser(user.id, { username, email, ...(isSelf ? {} : { role }) }),
    onSuccess(_saved, { username }) {
      notify(usersText.form.saved(username));
      onClose();
    },
    errorsOf: userErrorsOf,
  });
  const { form } = usersText;
  return (
    <Overlay place="side" title={form.changeTitle(user.username)} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        <UserFields control={changed.control} isSelf={isSelf} />
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
