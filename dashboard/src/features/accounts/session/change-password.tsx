import { useNavigate } from 'react-router';
import { ButtonLink } from '../../../components/form/button.tsx';
import { text } from '../../../lib/messages.ts';
import { AuthLayout } from './auth-layout.tsx';
import { sessionText } from './messages.ts';
import { PasswordForm } from './password-form.tsx';
import { useSession } from './session.tsx';
import { useOrigin } from './sign-in.tsx';

export function ChangePassword() {
  const forced = useSession().self?.must_change_password ?? false;
  const origin = useOrigin();
  const navigate = useNavigate();
  return (
    <AuthLayout title={sessionText.password.title} notice={forced ? sessionText.password.forced : undefined}>
      <PasswordForm onDone={() => void navigate(origin, { replace: true })}>
        {!forced && <ButtonLink to={origin}>{text.cancel}</ButtonLink>}
      </PasswordForm>
    </AuthLayout>
  );
}
