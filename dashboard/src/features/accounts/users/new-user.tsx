import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import { fieldErrorsOf } from './field-errors.ts';
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
  const [values, setValues] = useState<UserValues>({ username: '', email: '', role: 'operator' });
  const [password, setPassword] = useState(suggestPassword);
  const [mustChange, setMustChange] = useState(true);
  const create = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/users', { body: { ...values, password, must_change_password: mustChange } })),
    onSuccess() {
      refreshUsers();
      onClose();
      onCreated({ username: values.username, password });
    },
  });
  const wrong = fieldErrorsOf(create.error);
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
        <UserFields values={values} onChange={setValues} wrong={wrong} />
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
          <Button variant="primary" type="submit" disabled={create.isPending}>
            {form.submitNew}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
