import { focusManager, useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { restLive } from '../../../api/live.ts';
import { queryClient } from '../../../api/queries.ts';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { AuthCard, AuthHint } from './auth-layout.tsx';
import { reauthenticationText, sessionText } from './messages.ts';
import { PasswordField } from './password-field.tsx';
import { PasswordForm } from './password-form.tsx';
import styles from './session.module.css';
import { type ReauthenticationStep, type Self, useSession } from './session.tsx';

/**
 * Covers the page after its user's session has ended, until the same user signs in again. The page, its panels
 * and its dialogs stay as they are behind it, invisible and out of reach.
 */
export function ReauthenticationDialog({ self, step }: { self: Self; step: ReauthenticationStep }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const wall = dialog.current;
    wall?.showModal();
    // By being closed it hands the focus back to where it was.
    return () => wall?.close();
  }, []);
  useEffect(() => {
    // Requests would be refused, so none are sent until then.
    const wake = restLive();
    focusManager.setFocused(false);
    return () => {
      void queryClient.invalidateQueries();
      focusManager.setFocused(undefined);
      wake();
    };
  }, []);
  const [title, notice] =
    step === 'signIn'
      ? [reauthenticationText.title, reauthenticationText.notice]
      : [sessionText.password.title, sessionText.password.forced];
  // In the body itself: panels and dialogs hide the page from screen readers, and all else but live regions when they open. They may do so
  // behind the wall (somebody goes back, and what is not saved is asked about): hence the attribute, which announces nothing.
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.reauthentication}
      aria-label={title}
      aria-live="off"
      closedby="none"
      onKeyDown={keepWithin}
    >
      <div className={styles.page}>
        <AuthCard title={title} notice={notice}>
          {step === 'signIn' ? <SignInAgain username={self.username} /> : <PasswordForm />}
        </AuthCard>
      </div>
    </dialog>,
    document.body,
  );
}

/** Keys pressed here neither open the wall nor close a panel behind it. */
function keepWithin(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault();
  event.stopPropagation();
}

function SignInAgain({ username }: { username: string }) {
  const session = useSession();
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => session.signIn(username, password) });
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <p className={styles.who}>
          <span>{sessionText.signIn.username}</span>
          <strong>{username}</strong>
        </p>
        {/* For password managers. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          name="password"
          label={sessionText.signIn.password}
          value={password}
          onChange={setPassword}
          which="current"
        />
        <ErrorNote error={signIn.error} />
        <Button variant="primary" type="submit" disabled={signIn.isPending}>
          {reauthenticationText.submit}
        </Button>
      </form>
      <div className={styles.other}>
        <Button onClick={session.leave}>{reauthenticationText.other}</Button>
        <AuthHint>{reauthenticationText.otherHint}</AuthHint>
      </div>
    </>
  );
}
