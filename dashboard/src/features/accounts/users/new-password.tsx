import { useForm } from 'react-hook-form';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormCheck, FormText } from '../../../components/form/form-fields.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { text } from '../../../lib/messages.ts';
import type { HandedOver } from './hand-over.tsx';
import { usersText } from './messages.ts';
import { changeUser, type User } from './queries.ts';
import { suggestPassword } from './suggest-password.ts';

interface NewPasswordProps {
  user: User;
  onClose(): void;
  onDone(given: HandedOver): void;
}

/** Sets a new password for a user who has lost theirs. */
export function NewPassword({ user: { id, username }, onClose, onDone }: NewPasswordProps) {
  const given = useForm({ defaultValues: { password: suggestPassword(), must_change_password: true } });
  const { control } = given;
  const { onSubmit, isPending, error } = useSubmission(given, {
    send: (body) => changeUser(id, body),
    onSuccess(_saved, { password }) {
      onClose();
      onDone({ username, password });
    },
  });
  const { newPassword, form } = usersText;
  return (
    <Overlay place="middle" title={newPassword.title(username)} hint={newPassword.hint} onClose={onClose}>
      <form className={parts.form} onSubmit={onSubmit}>
        <FormText control={control} name="password" label={newPassword.field} hint={form.passwordHint} autoFocus />
        <FormCheck control={control} name="must_change_password" label={form.mustChange} hint={form.mustChangeHint} />
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {newPassword.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
