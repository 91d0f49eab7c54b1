import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { sessionText } from './messages.ts';
import { PasswordField } from './password-field.tsx';
import { useSession } from './session.tsx';

interface PasswordFormProps {
  onDone?(): void;
  /** The alternative. */
  children?: ReactNode;
}

/** Changes the signed-in user's password. */
export function PasswordForm({ onDone, children }: PasswordFormProps) {
  const session = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [keepTokens, setKeepTokens] = useState(false);
  const [differs, setDiffers] = useState(false);
  const change = useMutation({
    mutationFn: () => session.changePassword(current, next, keepTokens),
    onSuccess() {
      notify(sessionText.password.done);
      onDone?.();
    },
  });
  const wrong = change.error instanceof ApiError ? change.error.fields : {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setDiffers(next !== again);
        // The answer to an earlier attempt says nothing about this one.
        if (next === again) change.mutate();
        else change.reset();
      }}
    >
      <PasswordField
        name="current_password"
        label={sessionText.password.current}
        value={current}
        onChange={setCurrent}
        which="current"
        error={wrong.current_password}
        autoFocus
      />
      <PasswordField
        name="new_password"
        label={sessionText.password.next}
        hint={sessionText.password.nextHint}
        value={next}
        onChange={setNext}
        which="new"
        error={wrong.new_password}
      />
      <PasswordField
        name="again"
        label={sessionText.password.repeat}
        value={again}
        onChange={setAgain}
        which="new"
        error={differs ? sessionText.password.differs : undefined}
      />
      {!session.self?.must_change_password && (
        <CheckField
          label={sessionText.password.keepTokens}
          hint={sessionText.password.keepTokensHint}
          checked={keepTokens}
          onChange={setKeepTokens}
        />
      )}
      {Object.keys(wrong).length === 0 && <ErrorNote error={change.error} />}
      <Button variant="primary" type="submit" disabled={change.isPending}>
        {sessionText.password.submit}
      </Button>
      {children}
    </form>
  );
}
