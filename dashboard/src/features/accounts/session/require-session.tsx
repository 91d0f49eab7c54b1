import { Fragment } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Wall } from './reauthentication-dialog.tsx';
import { useSession } from './session.tsx';

/** Lets in who is signed in; others sign in first and come back to the same page. */
export function RequireSession() {
  const { self, wall, error } = useSession();
  const { pathname, search } = useLocation();
  if (self === undefined) return <Waiting error={error} />;
  const from = pathname + search;
  if (self === null) return <Navigate to="/sign-in" state={{ from }} replace />;
  if (self.must_change_password && !wall && pathname !== '/password')
    return <Navigate to="/password" state={{ from }} replace />;
  return (
    <>
      {/* Somebody else has a page of their own. */}
      <Fragment key={self.id}>
        <Outlet />
      </Fragment>
      {wall && <Wall self={self} step={wall} />}
    </>
  );
}
