import { Navigate, useLocation } from 'react-router';
import { AuthHint, AuthLayout } from './auth-layout.tsx';
import { sessionText } from './messages.ts';
import { useSession } from './session.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** The page to return to after signing in. */
export function useOrigin(): string {
  const { state } = useLocation() as { state: { from?: string } | null };
  return state?.from ?? '/';
}

export function SignIn() {
  const session = useSession();
  const origin = useOrigin();
  if (session.self) return <Navigate to={origin} replace />;
  return (
    <AuthLayout title={sessionText.signIn.title} {...(session.expired ? { notice: sessionText.signIn.expired } : {})}>
      <SignInForm submit={sessionText.signIn.submit} />
      <AuthHint>{sessionText.signIn.hint}</AuthHint>
    </AuthLayout>
  );
}
