import { Link } from 'react-router';
import parts from '../../../components/components.module.css';
import { RelativeTime } from '../../../components/data/time.tsx';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { IconButton } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { incidentsText } from '../../incidents/messages.ts';
import { withStepName } from '../../tenant/deployments/messages.ts';
import { causeText } from '../../tenant/diagnosis/messages.ts';
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

/** A line of the manager in the user's language; of a failed operation, it starts with the step. */
const own = (line: string): string =>
  withStepName(causeText(line, { ...notificationsText.alerts, ...incidentsText.api }));

/** Of one tenant, the name is put first, so that the rest is a text of its own. */
function titleOf({ title, tenants: [tenant, ...others] }: InboxEntry): string {
  const prefix = `${tenant?.name}: `;
  return others.length === 0 && title.includes(prefix) ? prefix + own(title.replace(prefix, '')) : own(title);
}

function Entry({ entry, brief, onFollow }: { entry: InboxEntry; brief: boolean; onFollow(): void }) {
  const { id, severity, text, link, at, read_at } = entry;
  const title = titleOf(entry);
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
        {!brief && <p>{text.split('\n').map(own).join('\n')}</p>}
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
