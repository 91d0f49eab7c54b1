import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { CheckField } from '../parts/check-field.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { SelectField } from '../parts/select-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import { text } from '../text/en.ts';
import { usersText } from '../text/users.ts';
import type { HandedOver } from './hand-over.tsx';
import { refreshUsers, type User } from './queries.ts';
import { suggestPassword } from './suggest-password.ts';
import { wrongOf } from './wrong-of.ts';

interface NewUserProps {
  onClose(): void;
  onCreated(made: HandedOver): void;
}

/** Makes a user, at the side of the page. */
export function NewUser({ onClose, onCreated }: NewUserProps) {
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<User['role']>('operator');
  const [password, setPassword] = useState(suggestPassword);
  const [mustChange, setMustChange] = useState(true);
  const create = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/users', { body: { username, email, role, password, must_change_password: mustChange } })),
    onSuccess() {
      refreshUsers();
      onClose();
      onCreated({ username, password });
    },
  });
  const wrong = wrongOf(create.error);
  const { form } = usersText;
  return (
    <Overlay place="side" title={form.createTitle} hint={form.createHint} onClose={onClose}>
      <form
        className={parts.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!create.isPending) create.mutate();
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
          hint={usersText.roleHints[role]}
          value={role}
          options={text.roles}
          onChange={setRole}
        />
        <TextField
          name="password"
          label={form.password}
          hint={form.passwordHint}
          value={password}
          onChange={setPassword}
          error={wrong.password}
        />
        <CheckField label={form.mustChange} hint={form.mustChangeHint} checked={mustChange} onChange={setMustChange} />
        {Object.keys(wrong).length === 0 && <ErrorNote error={create.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button look="primary" type="submit" disabled={create.isPending}>
            {form.submitNew}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
