import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { SelectField } from '../parts/select-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import { tell } from '../parts/toasts.tsx';
import { text } from '../text/en.ts';
import { usersText } from '../text/users.ts';
import { changeUser, type User } from './queries.ts';
import { wrongOf } from './wrong-of.ts';

interface ChangeUserProps {
  user: User;
  /** Nobody takes the administrator's role from himself by a slip. */
  isSelf: boolean;
  onClose(): void;
}

/** Changes a user's name, address and role, at the side of the page. */
export function ChangeUser({ user, isSelf, onClose }: ChangeUserProps) {
  const [username, setUsername] = useState(user.username);
  const [email, setEmail] = useState(user.email);
  const [role, setRole] = useState(user.role);
  const save = useMutation({
    mutationFn: () => changeUser(user.id, { username, email, ...(isSelf ? {} : { role }) }),
    onSuccess() {
      tell(usersText.form.saved(username));
      onClose();
    },
  });
  const wrong = wrongOf(save.error);
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
        <TextField
          name="username"
          label={form.username}
          hint={form.usernameHint}
          value={username}
          onChange={setUsername}
          error={wrong.username}
          autoFocus
        />
        <TextField name="email" type="email" label={form.email} value={email} onChange={setEmail} error={wrong.email} />
        <SelectField<User['role']>
          label={form.role}
          hint={isSelf ? form.ownRole : usersText.roleHints[role]}
          value={role}
          options={text.roles}
          onChange={setRole}
          disabled={isSelf}
        />
        {Object.keys(wrong).length === 0 && <ErrorNote error={save.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button look="primary" type="submit" disabled={save.isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
