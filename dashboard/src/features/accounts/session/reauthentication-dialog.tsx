import { focusManager } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { restLive } from '../../../api/live.ts';
import { queryClient } from '../../../api/queries.ts';
import { Button } from '../../../components/form/button.tsx';
import { AuthCard, AuthHint } from './auth-layout.tsx';
import { reauthenticationText, sessionText } from './messages.ts';
import { PasswordForm } from './password-form.tsx';
import styles from './session.module.css';
import { type ReauthenticationStep, type Self, useSession } from './session.tsx';
import { SignInForm } from './sign-in-form.tsx';

/**
 * Covers the page after its user's session has ended, until the same user signs in again. The page, its panels
 * and its dialogs stay as they are behind it, hidden and inert.
 */
export function ReauthenticationDialog({ self, step }: { self: Self; step: ReauthenticationStep }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing returns the focus to where it was.
    return () => element?.close();
  }, []);
  useEffect(() => {
    // Requests would be rejected, so none are sent until the user has signed in.
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
  // A child of the body: panels and dialogs hide the rest of the page from screen readers, except live regions. One may open behind this
  // dialog (the user goes back, and is asked about unsaved changes): `aria-live="off"` keeps it accessible and announces nothing.
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

/** Keys pressed here neither close the dialog nor a panel behind it. */
function keepWithin(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault();
  event.stopPropagation();
}

function SignInAgain({ username }: { username: string }) {
  const session = useSession();
  return (
    <>
      <SignInForm user={username} submit={reauthenticationText.submit} />
      <div className={styles.other}>
        <Button onClick={session.leave}>{reauthenticationText.other}</Button>
        <AuthHint>{reauthenticationText.otherHint}</AuthHint>
      </div>
    </>
  );
}
