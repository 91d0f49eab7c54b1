import { Fragment } from 'react';
import { Navigate, Outlet, useLocation, useOutletContext } from 'react-router';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Starting } from '../../../components/feedback/starting.tsx';
import { text } from '../../../lib/messages.ts';
import { sessionText } from './messages.ts';
import { ReauthenticationDialog } from './reauthentication-dialog.tsx';
import { type Role, useHasRole, useSession } from './session.tsx';

/** Requires a signed-in user; others sign in first and return to the same page. */
export function RequireSession() {
  const { self, reauthentication, error } = useSession();
  const { pathname, search } = useLocation();
  if (self === undefined) return error ? <ErrorNote error={error} /> : <Starting />;
  const from = pathname + search;
  if (self === null) return <Navigate to="/sign-in" state={{ from }} replace />;
  if (self.must_change_password && !reauthentication && pathname !== '/password')
    return <Navigate to="/password" state={{ from }} replace />;
  return (
    <>
      {/* Somebody else has a page of their own. */}
      <Fragment key={self.id}>
        <Outlet />
      </Fragment>
      {reauthentication && <ReauthenticationDialog self={self} step={reauthentication} />}
    </>
  );
}

/** Pages that need a role. A user without it reads which one, instead of an error for each request. */
export function RequireRole({ needs }: { needs: Role }) {
  const allowed = useHasRole(needs);
  const context = useOutletContext();
  if (!allowed)
    return <Empty title={sessionText.needsRole(text.roles[needs])} hint={text.errors.whatToDo.forbidden ?? ''} />;
  return <Outlet context={context} />;
}
