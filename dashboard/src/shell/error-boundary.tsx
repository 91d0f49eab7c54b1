import { useEffect, useRef } from 'react';
import { useLiveState } from '../api/live.ts';
import { Empty } from '../components/feedback/empty.tsx';
import { Button } from '../components/form/button.tsx';
import { shellText } from './messages.ts';

/**
 * In the place of a page that could not be loaded (the manager is away, or another version of it is there by now) or that failed. It is
 * loaded again when the connection is back.
 */
export function ErrorBoundary() {
  const live = useLiveState();
  const lost = useRef(false);
  useEffect(() => {
    if (live === 'offline') lost.current = true;
    if (live === 'online' && lost.current) location.reload();
  }, [live]);
  return (
    <Empty title={shellText.errorBoundary.title} hint={shellText.errorBoundary.hint}>
      <Button variant="primary" onClick={() => location.reload()}>
        {shellText.errorBoundary.again}
      </Button>
    </Empty>
  );
}
