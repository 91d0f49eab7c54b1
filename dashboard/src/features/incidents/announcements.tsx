import parts from '../../components/components.module.css';
import { Badge } from '../../components/data/badge.tsx';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Time } from '../../components/data/time.tsx';
import { ButtonLink } from '../../components/form/button.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { stateTones } from '../notifications/channels/delivery-log.tsx';
import { channelsText } from '../notifications/channels/messages.ts';
import { incidentsText } from './messages.ts';
import type { Incident } from './queries.ts';

type Announcement = Incident['announcements'][number];
type Recipients = NonNullable<Announcement['recipients']>;
type Delivery = Recipients['deliveries'][number];

const { announcements: words } = incidentsText;
const stateOf = (state: Delivery['state']): string =>
  state === 'collected' ? words.collected : channelsText.states[state];

/** Names of users in one cell. */
const maxNames = 20;

const inboxOf = ({ users }: Recipients): string =>
  users.slice(0, maxNames).join(', ') + (users.length > maxNames ? ` ${words.more(users.length - maxNames)}` : '');

const columns: Column<Announcement>[] = [
  {
    name: words.columns.what,
    kind: 'text',
    cell: ({ what }) => incidentsText.notified[what.split('/')[0] ?? ''] ?? what,
  },
  { name: words.columns.at, cell: ({ at }) => <Time at={at} /> },
];
const recipientColumns: Column<Announcement>[] = [
  ...columns,
  { name: words.columns.inbox, kind: 'text', cell: ({ recipients }) => recipients && inboxOf(recipients) },
  {
    name: words.columns.channels,
    kind: 'text',
    cell: ({ recipients }) =>
      recipients?.deliveries.map(({ channel, personal, username, state, at }) => (
        <div key={`${channel} ${personal} ${username} ${at}`}>
          {channel} <Badge tone={state === 'collected' ? 'warn' : stateTones[state]}>{stateOf(state)}</Badge>
          {personal && <div className={parts.fine}>{username ?? words.formerAddress}</div>}
        </div>
      )),
  },
];

/** Who was informed of an incident, and whether it arrived; viewers see only when. */
export function Announcements({ incident: { announcements } }: { incident: Incident }) {
  const admin = useHasRole('admin');
  const operator = useHasRole('operator');
  return (
    <>
      <PagePart title={words.title}>
        {admin && <ButtonLink to="/system/notifications/channels">{words.log}</ButtonLink>}
      </PagePart>
      <DataTable
        label={words.title}
        columns={operator ? recipientColumns : columns}
        rows={announcements}
        keyOf={({ what }) => what}
      />
    </>
  );
}
