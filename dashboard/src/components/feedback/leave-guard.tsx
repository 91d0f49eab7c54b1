import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import styles from '../components.module.css';
import { Button } from '../form/button.tsx';
import { Overlay } from '../layout/overlays.tsx';
import { leaveGuardText } from './messages.ts';

interface LeaveGuardProps {
  unsaved: boolean;
  /** Whether a refresh brings it back: then the browser need not ask as well. */
  comesBack?: boolean;
}

/** Asks before a page with unsaved changes is left, by a link or by closing the window. */
export const LeaveGuard = ({ unsaved, comesBack = false }: LeaveGuardProps) =>
  // The router warns of a blocker on each way back, also of one that lets everything pass.
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
