import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
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
import { changeUser, type User } from './queries.ts';
import { suggestPassword } from './suggest-password.ts';

interface NewPasswordProps {
  user: User;
  onClose(): void;
  onDone(given: HandedOver): void;
}

/** Sets a new password for a user who has lost theirs. */
export function NewPassword({ user: { id, username }, onClose, onDone }: NewPasswordProps) {
  const [password, setPassword] = useState(suggestPassword);
  const [mustChange, setMustChange] = useState(true);
  const give = useMutation({
    mutationFn: () => changeUser(id, { password, must_change_password: mustChange }),
    onSuccess() {
      onClose();
      onDone({ username, password });
    },
  });
  const wrong = fieldErrorsOf(give.error);
  const { newPassword, form } = usersText;
  return (
    <Overlay place="middle" title={newPassword.title(username)} hint={newPassword.hint} onClose={onClose}>
      <form
        className={parts.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!give.isPending) give.mutate();
        }}
      >
        <TextField
          name="password"
          label={newPassword.field}
          hint={form.passwordHint}
          value={password}
          onChange={setPassword}
          error={wrong.password}
          autoFocus
        />
        <CheckField label={form.mustChange} hint={form.mustChangeHint} checked={mustChange} onChange={setMustChange} />
        {Object.keys(wrong).length === 0 && <ErrorNote error={give.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={give.isPending}>
            {newPassword.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
