import { Link } from 'react-router';
import parts from '../../../components/components.module.css';
import { RelativeTime } from '../../../components/data/time.tsx';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { IconButton } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { notificationsText } from '../messages.ts';
import styles from './inbox.module.css';
import { type InboxEntry, markRead } from './queries.ts';

const icons = { info: 'plain', warning: 'warn', error: 'bad', critical: 'bad' } as const;

interface EntryListProps {
  entries: readonly InboxEntry[];
  /** Without the texts below the titles. */
  brief?: boolean;
  /** An entry was followed to its place. */
  onFollow?(): void;
}

/** Notifications, each with a link to its place; following it marks it as read. */
export const EntryList = ({ entries, brief = false, onFollow }: EntryListProps) => (
  <ul className={styles.entries}>
    {entries.map((entry) => (
      <Entry key={entry.id} entry={entry} brief={brief} onFollow={() => onFollow?.()} />
    ))}
  </ul>
);

function Entry({ entry, brief, onFollow }: { entry: InboxEntry; brief: boolean; onFollow(): void }) {
  const { id, severity, title, text, link, at, read_at } = entry;
  const { severities, inbox } = notificationsText;
  const isUnread = read_at === null;
  const read = (): void => {
    if (isUnread) void markRead({ ids: [id] }).catch(notifyError);
  };
  return (
    <li data-tone={severity} data-unread={isUnread || undefined}>
      <Icon name={icons[severity]} />
      <div>
        <Link
          to={link}
          onClick={() => {
            read();
            onFollow();
          }}
        >
          <span className={parts.spoken}>
            {severities[severity]}
            {isUnread && `, ${inbox.isUnread}`}:{' '}
          </span>
          {title}
        </Link>
        {!brief && <p>{text}</p>}
        <span className={styles.time}>
          <RelativeTime at={at} />
        </span>
      </div>
      {isUnread && !brief && (
        <IconButton variant="quiet" icon="chosen" label={`${inbox.markRead}: ${title}`} onClick={read} />
      )}
    </li>
  );
}
