import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import parts from '../../../components/components.module.css';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { number } from '../../../lib/figures.ts';
import { notificationsText } from '../messages.ts';
import { EntryList } from './entry-list.tsx';
import styles from './inbox.module.css';
import { inboxQuery, markRead } from './queries.ts';

const shown = 8;

/** How many notifications are unread, and the newest ones. */
export function Bell() {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery(inboxQuery(shown));
  const { inbox } = notificationsText;
  const unread = data?.unread ?? 0;
  const close = (): void => setOpen(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={`${parts.close} ${styles.bell}`} aria-label={inbox.open(unread)}>
        <Icon name="bell" />
        {unread > 0 && (
          <span className={styles.count} aria-hidden="true">
            {unread > 99 ? '99+' : number(unread)}
          </span>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner side="bottom" align="start" sideOffset={6} positionMethod="fixed" className={styles.above}>
          <Popover.Popup className={`${parts.menu} ${styles.popup}`}>
            <div className={styles.head}>
              <Popover.Title>{inbox.title}</Popover.Title>
              {unread > 0 && (
                <Button variant="quiet" onClick={() => void markRead({ all: true }).catch(notifyError)}>
                  {inbox.markAll}
                </Button>
              )}
            </div>
            {!data && <Waiting error={error} />}
            {data?.entries.length === 0 && <p className={styles.quiet}>{inbox.emptyHint}</p>}
            {data && <EntryList brief entries={data.entries} onFollow={close} />}
            <div className={styles.foot}>
              <Link to="/inbox" onClick={close}>
                {inbox.all}
              </Link>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
