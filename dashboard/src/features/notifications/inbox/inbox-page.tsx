import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Empty } from '../../../components/feedback/empty.tsx';
import { notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { notificationsText } from '../messages.ts';
import { EntryList } from './entry-list.tsx';
import styles from './inbox.module.css';
import { inboxQuery, markRead } from './queries.ts';

const pageSize = 50;
/** Maximum that the manager returns at once. */
const maxShown = 500;

/** The signed-in user's notifications. */
export function InboxPage() {
  const [limit, setLimit] = useState(pageSize);
  const [filter, setFilter] = useState<'all' | 'unread'>('all');
  const { data, error } = useQuery(inboxQuery(limit, filter === 'unread'));
  const { inbox } = notificationsText;
  const hint = (
    <>
      {inbox.hint} <Link to="/account/preferences">{inbox.preferences}</Link>
    </>
  );
  return (
    <>
      <PageHead title={inbox.title} hint={hint}>
        {data && data.unread > 0 && (
          <Button onClick={() => void markRead({ all: true }).catch(notifyError)}>{inbox.markAll}</Button>
        )}
      </PageHead>
      <div className={styles.tools}>
        <SelectField<'all' | 'unread'>
          bare
          label={inbox.filter}
          value={filter}
          options={inbox.filters}
          onChange={setFilter}
        />
        {data && <span>{inbox.unread(data.unread)}</span>}
      </div>
      {!data && <Waiting error={error} />}
      {data?.entries.length === 0 && (
        <Empty title={filter === 'unread' ? inbox.nothingUnread : inbox.emptyTitle} hint={inbox.emptyHint} />
      )}
      {data && <EntryList entries={data.entries} />}
      {data && data.total > limit && limit < maxShown && (
        <div className={styles.more}>
          <Button onClick={() => setLimit(Math.min(maxShown, limit + pageSize))}>{inbox.more}</Button>
        </div>
      )}
    </>
  );
}
