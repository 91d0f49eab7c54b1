import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import { fieldErrorsOf } from './field-errors.ts';
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
  const [values, setValues] = useState<UserValues>({ username: user.username, email: user.email, role: user.role });
  const { username, email } = values;
  const save = useMutation({
    mutationFn: () => changeUser(user.id, isSelf ? { username, email } : values),
    onSuccess() {
      notify(usersText.form.saved(username));
      onClose();
    },
  });
  const wrong = fieldErrorsOf(save.error);
  const { form } = usersText;
  return (
    <Overlay place="side" title={form.changeTitle(user.username)} onClose={onClose}>
      <form
        className={parts.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <UserFields values={values} onChange={setValues} wrong={wrong} isSelf={isSelf} />
        {Object.keys(wrong).length === 0 && <ErrorNote error={save.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={save.isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
