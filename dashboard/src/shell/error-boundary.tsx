import { useEffect, useRef } from 'react';
import { useLiveState } from '../api/live.ts';
import { Empty } from '../components/feedback/empty.tsx';
import { Button } from '../components/form/button.tsx';
import { shellText } from './messages.ts';

/**
 * Replaces a page that failed, or could not be loaded because the manager is unavailable or was upgraded. Reloads
 * when the connection is restored.
 */
export function ErrorBoundary() {
  const live = useLiveState();
  const lost = useRef(false);
  useEffect(() => {
    if (live === 'offline') lost.current = true;
    if (live === 'online' && lost.current) location.reload();
  }, [live]);
  return (
    <Empty heading="h1" title={shellText.errorBoundary.title} hint={shellText.errorBoundary.hint}>
      <Button variant="primary" onClick={() => location.reload()}>
        {shellText.errorBoundary.again}
      </Button>
    </Empty>
  );
}
