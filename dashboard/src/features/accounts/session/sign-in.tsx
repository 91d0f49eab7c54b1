import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { AuthHint, AuthLayout } from './auth-layout.tsx';
import { sessionText } from './messages.ts';
import { PasswordField } from './password-field.tsx';
import { useSession } from './session.tsx';

/** The page to return to after signing in. */
export function useOrigin(): string {
  const { state } = useLocation() as { state: { from?: string } | null };
  return state?.from ?? '/';
}

export function SignIn() {
  const session = useSession();
  const origin = useOrigin();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => session.signIn(username, password) });
  if (session.self) return <Navigate to={origin} replace />;
  return (
    <AuthLayout title={sessionText.signIn.title} {...(session.expired ? { notice: sessionText.signIn.expired } : {})}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <TextField
          name="username"
          label={sessionText.signIn.username}
          value={username}
          onChange={setUsername}
          autoComplete="username"
          required
          autoFocus
        />
        <PasswordField
          name="password"
          label={sessionText.signIn.password}
          value={password}
          onChange={setPassword}
          which="current"
        />
        <ErrorNote error={signIn.error} />
        <Button variant="primary" type="submit" disabled={signIn.isPending}>
          {sessionText.signIn.submit}
        </Button>
      </form>
      <AuthHint>{sessionText.signIn.hint}</AuthHint>
    </AuthLayout>
  );
}
