import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Button } from '../parts/button.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { configurationText } from '../text/configuration.ts';

const words = configurationText.leave;

/** Asks before changes that are not saved are lost: on the way to another page, and, in the browser's words, out of this one. */
export function LeaveGuard() {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  if (blocker.state !== 'blocked') return null;
  return (
    <Overlay place="middle" title={words.title} hint={words.hint} onClose={() => blocker.reset()}>
      <div className={parts.form}>
        <div className={parts.formEnd}>
          <Button onClick={() => blocker.reset()}>{words.stay}</Button>
          <Button look="danger" onClick={() => blocker.proceed()}>
            {words.submit}
          </Button>
        </div>
      </div>
    </Overlay>
  );
}
