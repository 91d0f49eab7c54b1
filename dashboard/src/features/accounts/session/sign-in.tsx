import { useQuery } from '@tanstack/react-query';
import { Navigate, useLocation } from 'react-router';
import { api, dataOf } from '../../../api/client.ts';
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
  const { data: manager } = useQuery({ queryKey: ['readyz'], queryFn: () => dataOf(api.GET('/readyz')), retry: false });
  if (session.self) return <Navigate to={origin} replace />;
  const expired = session.expired ? sessionText.signIn.expired : undefined;
  const notice = manager?.store === 'full' ? sessionText.signIn.storeFull : expired;
  return (
    <AuthLayout title={sessionText.signIn.title} {...(notice ? { notice } : {})}>
      <SignInForm submit={sessionText.signIn.submit} />
      <AuthHint>{sessionText.signIn.hint}</AuthHint>
    </AuthLayout>
  );
}
