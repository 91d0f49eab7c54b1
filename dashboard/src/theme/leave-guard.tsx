import { useEffect, useRef, useState } from 'react';
import { type Location, useBlocker, useNavigate } from 'react-router';
import { Button } from '../parts/button.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { themeText } from '../text/theme.ts';

interface LeaveGuardProps {
  /** Whether something is not saved. */
  unsaved: boolean;
  /** Whether a part of it would not come back with a refresh. */
  files: boolean;
}

/** Asks before what is not saved is left behind. */
export function LeaveGuard({ unsaved, files }: LeaveGuardProps) {
  const navigate = useNavigate();
  // Kept here too: the router forgets what it held back when the page's own address changes meanwhile.
  const [next, setNext] = useState<Location>();
  const leaves = useRef(false);
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const held = unsaved && !leaves.current && currentLocation.pathname !== nextLocation.pathname;
    if (held) setNext(nextLocation);
    return held;
  });
  useEffect(() => {
    if (!files) return;
    const ask = (event: Event): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [files]);
  if (!next) return null;
  const stays = (): void => {
    if (blocker.state === 'blocked') blocker.reset();
    setNext(undefined);
  };
  const goes = (): void => {
    leaves.current = true;
    if (blocker.state === 'blocked') blocker.proceed();
    else void navigate(next);
  };
  const { title, hint, stay, go } = themeText.leave;
  return (
    <Overlay place="middle" title={title} hint={hint} onClose={stays}>
      <div className={parts.form}>
        <div className={parts.formEnd}>
          <Button onClick={goes}>{go}</Button>
          <Button look="primary" onClick={stays}>
            {stay}
          </Button>
        </div>
      </div>
    </Overlay>
  );
}
