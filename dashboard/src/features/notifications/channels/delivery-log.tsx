import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { channelsText } from './messages.ts';
import { type Channel, type Delivery, deliveriesQuery, refreshChannels, retryDelivery } from './queries.ts';

export const stateTones = { waiting: 'warn', sending: 'busy', delivered: 'good', failed: 'bad' } as const;

const pageSize = 25;
/** Of one answer. */
const most = 500;

/** What was sent, newest first. */
export function DeliveryLog({ channels }: { channels: readonly Channel[] }) {
  const [shown, setShown] = useState(pageSize);
  const { data, error } = useQuery({ ...deliveriesQuery(shown), placeholderData: keepPreviousData });
  const { log, states } = channelsText;
  const nameOf = (id: string): string => channels.find((channel) => channel.id === id)?.name ?? '';
  const retry = ({ id }: Delivery): void =>
    void retryDelivery(id).then(() => {
      refreshChannels();
      notify(log.retried);
    }, notifyError);
  const columns: Column<Delivery>[] = [
    { name: log.columns.message, kind: 'text', cell: ({ title }) => title },
    {
      name: log.columns.channel,
      cell: ({ channel_id, recipient }) => (
        <>
          {nameOf(channel_id)}
          {recipient && <div className={parts.fine}>{recipient}</div>}
        </>
      ),
    },
    {
      name: log.columns.state,
      kind: 'text',
      cell: ({ state, outcome, attempts, maybe_twice, not_before }) => (
        <>
          <Badge tone={stateTones[state]}>{states[state]}</Badge>
          {outcome && <div className={parts.fine}>{outcome}</div>}
          {attempts > 1 && <div className={parts.fine}>{log.attempts(attempts)}</div>}
          {maybe_twice && <div className={parts.fine}>{log.maybeTwice}</div>}
          {state === 'waiting' && (
            <div className={parts.fine}>
              {log.next}: <Time at={not_before} />
            </div>
          )}
        </>
      ),
    },
    { name: log.columns.time, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: log.columns.actions,
      kind: 'action',
      cell: (delivery) =>
        delivery.state === 'failed' && (
          <Button aria-label={log.retryOf(delivery.title)} onClick={() => retry(delivery)}>
            {log.retry}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PagePart title={log.title} hint={data?.total === 0 ? log.empty : log.hint} />
      {!data && <Waiting error={error} />}
      {data && data.total > 0 && (
        <DataTable label={log.title} columns={columns} rows={data.deliveries} keyOf={({ id }) => id} />
      )}
      {data && data.total > shown && shown < most && (
        <Button onClick={() => setShown(Math.min(most, shown + pageSize))}>{log.more}</Button>
      )}
    </>
  );
}
