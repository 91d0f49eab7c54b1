import { Outlet, useOutletContext } from 'react-router';
import { Empty } from '../../../components/feedback/empty.tsx';
import { text } from '../../../lib/messages.ts';
import { type Role, useMay } from './session.tsx';

/** Pages that need a role. A user without it reads which one, instead of an error for each request. */
export function RequireRole({ needs }: { needs: Role }) {
  const allowed = useMay(needs);
  const context = useOutletContext();
  if (!allowed) return <Empty title={text.needsRole(text.roles[needs])} hint={text.errors.whatToDo.forbidden ?? ''} />;
  return <Outlet context={context} />;
}
