import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import styles from '../components.module.css';
import { Button } from '../form/button.tsx';
import { Overlay } from '../layout/overlays.tsx';
import { leaveGuardText } from './messages.ts';

interface LeaveGuardProps {
  unsaved: boolean;
  /** Whether a refresh restores it: then the browser need not ask. */
  comesBack?: boolean;
}

/** Asks for confirmation before a page with unsaved changes is left, by a link or by closing the window. */
export const LeaveGuard = ({ unsaved, comesBack = false }: LeaveGuardProps) =>
  // The router warns about a blocker at each navigation back, even if it blocks nothing.
  unsaved ? <Guard comesBack={comesBack} /> : null;

function Guard({ comesBack }: { comesBack: boolean }) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (comesBack) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [comesBack]);
  if (blocker.state !== 'blocked') return null;
  return (
    <Overlay place="middle" title={leaveGuardText.title} hint={leaveGuardText.hint} onClose={() => blocker.reset()}>
      <div className={styles.form}>
        <div className={styles.formEnd}>
          <Button variant="primary" onClick={() => blocker.reset()}>
            {leaveGuardText.stay}
          </Button>
          <Button onClick={() => blocker.proceed()}>{leaveGuardText.leave}</Button>
        </div>
      </div>
    </Overlay>
  );
}
