import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { sessionText } from './messages.ts';
import { PasswordField } from './password-field.tsx';
import styles from './session.module.css';
import { useSession } from './session.tsx';

/** Username and password. With `user` the username is fixed: that user signs in again. */
export function SignInForm({ user, submit }: { user?: string; submit: string }) {
  const session = useSession();
  const [username, setUsername] = useState(user ?? '');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => session.signIn(username, password) });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      {user === undefined ? (
        <TextField
          name="username"
          label={sessionText.signIn.username}
          value={username}
          onChange={setUsername}
          autoComplete="username"
          required
          autoFocus
        />
      ) : (
        <>
          <p className={styles.who}>
            <span>{sessionText.signIn.username}</span>
            <strong>{user}</strong>
          </p>
          {/* For password managers. */}
          <input type="text" name="username" autoComplete="username" value={user} readOnly hidden />
        </>
      )}
      <PasswordField
        name="password"
        label={sessionText.signIn.password}
        value={password}
        onChange={setPassword}
        which="current"
      />
      <ErrorNote error={signIn.error} />
      <Button variant="primary" type="submit" disabled={signIn.isPending}>
        {submit}
      </Button>
    </form>
  );
}
