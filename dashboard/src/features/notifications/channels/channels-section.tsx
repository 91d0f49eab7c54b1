import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Menu } from '../../../components/layout/menu.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { ChannelForm } from './channel-form.tsx';
import { DeliveryLog, stateTones } from './delivery-log.tsx';
import { channelsText } from './messages.ts';
import { type Channel, channelsQuery, deleteChannel, refreshChannels, testChannel } from './queries.ts';

/** The channels of notifications and what went through them, for administrators. */
export function ChannelsSection() {
  const { data, error } = useQuery(channelsQuery);
  const [editing, setEditing] = useState<Channel | 'new'>();
  const [deleting, setDeleting] = useState<Channel>();
  const test = useMutation({
    mutationFn: ({ id }: Channel) => testChannel(id),
    onError: notifyError,
  });
  if (!data) return <Waiting error={error} />;
  const { columns: names, kinds } = channelsText;
  const addButton = (
    <Button variant="primary" onClick={() => setEditing('new')}>
      <Icon name="add" />
      {channelsText.add}
    </Button>
  );
  const columns: Column<Channel>[] = [
    {
      name: names.name,
      kind: 'text',
      cell: ({ name, target, enabled }) => (
        <>
          <strong>{name}</strong> {!enabled && <Badge tone="warn">{channelsText.disabled}</Badge>}
          <div className={parts.fine}>{target}</div>
        </>
      ),
    },
    { name: names.kind, cell: ({ kind }) => kinds[kind] },
    { name: names.state, kind: 'text', cell: (channel) => <LastDelivery channel={channel} /> },
    {
      name: names.actions,
      kind: 'action',
      cell: (channel) => (
        <>
          <Button
            aria-label={channelsText.testOf(channel.name)}
            disabled={test.isPending}
            onClick={() => test.mutate(channel)}
          >
            {channelsText.test}
          </Button>
          <Menu
            label={channelsText.actionsOf(channel.name)}
            trigger={<Icon name="more" />}
            entries={[
              { label: channelsText.edit, act: () => setEditing(channel) },
              { label: channelsText.delete, act: () => setDeleting(channel), bad: true },
            ]}
          />
        </>
      ),
    },
  ];
  return (
    <>
      <PagePart title={channelsText.section} hint={channelsText.hint}>
        {data.length > 0 && addButton}
      </PagePart>
      {test.data && test.variables && (
        <Note
          tone={test.data.delivered ? 'good' : 'bad'}
          title={(test.data.delivered ? channelsText.tested : channelsText.notTested)(test.variables.name)}
        >
          <p>{test.data.reply}</p>
        </Note>
      )}
      {data.length === 0 ? (
        <Empty title={channelsText.emptyTitle} hint={channelsText.emptyHint}>
          {addButton}
        </Empty>
      ) : (
        <>
          <DataTable label={channelsText.section} columns={columns} rows={data} keyOf={({ id }) => id} />
          <DeliveryLog channels={data} />
        </>
      )}
      {editing && (
        <ChannelForm channel={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {deleting && (
        <Confirm
          bad
          title={channelsText.deleting.title(deleting.name)}
          hint={channelsText.deleting.hint}
          submit={channelsText.deleting.submit}
          act={() => deleteChannel(deleting.id)}
          onDone={() => {
            refreshChannels();
            notify(channelsText.deleting.done(deleting.name));
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function LastDelivery({ channel: { last_delivery: last, pending } }: { channel: Channel }) {
  return (
    <>
      {last ? (
        <>
          <Badge tone={stateTones[last.state]}>{channelsText.states[last.state]}</Badge> <Time at={last.at} />
          {last.state !== 'delivered' && <div className={parts.fine}>{last.outcome}</div>}
        </>
      ) : (
        <span className={parts.fine}>{channelsText.never}</span>
      )}
      {pending > 0 && <div className={parts.fine}>{channelsText.pending(pending)}</div>}
    </>
  );
}
