import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../api/api-error.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { TextField } from '../parts/text-field.tsx';
import { tell } from '../parts/toasts.tsx';
import { text } from '../text/en.ts';
import { Entrance } from './entrance.tsx';
import { useSession } from './session.tsx';
import { useOrigin } from './sign-in.tsx';

export function ChangePassword() {
  const session = useSession();
  const origin = useOrigin();
  const navigate = useNavigate();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [differs, setDiffers] = useState(false);
  const change = useMutation({
    mutationFn: () => session.changePassword(current, next),
    onSuccess() {
      tell(text.password.done);
      void navigate(origin, { replace: true });
    },
  });
  const wrong = change.error instanceof ApiError ? change.error.fields : {};
  const forced = session.self?.must_change_password ?? false;
  return (
    <Entrance title={text.password.title} {...(forced ? { notice: text.password.forced } : {})}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setDiffers(next !== again);
          if (next === again) change.mutate();
        }}
      >
        <TextField
          name="current_password"
          label={text.password.current}
          type="password"
          value={current}
          onChange={setCurrent}
          autoComplete="current-password"
          error={wrong.current_password}
          required
          autoFocus
        />
        <TextField
          name="new_password"
          label={text.password.next}
          hint={text.password.nextHint}
          type="password"
          value={next}
          onChange={setNext}
          autoComplete="new-password"
          error={wrong.new_password}
          required
        />
        <TextField
          name="again"
          label={text.password.repeat}
          type="password"
          value={again}
          onChange={setAgain}
          autoComplete="new-password"
          error={differs ? text.password.differs : undefined}
          required
        />
        {Object.keys(wrong).length === 0 && <ErrorNote error={change.error} />}
        <Button look="primary" type="submit" disabled={change.isPending}>
          {text.password.submit}
        </Button>
        {!forced && <ButtonLink to={origin}>{text.cancel}</ButtonLink>}
      </form>
    </Entrance>
  );
}
