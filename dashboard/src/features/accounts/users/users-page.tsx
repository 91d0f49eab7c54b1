import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { text } from '../../../lib/messages.ts';
import { useSession } from '../session/session.tsx';
import { type HandedOver, HandOver } from './hand-over.tsx';
import { usersText } from './messages.ts';
import { NewUser } from './new-user.tsx';
import { type User, usersQuery } from './queries.ts';
import { UserMenu } from './user-menu.tsx';
import styles from './users.module.css';

/** The users and their roles. */
export function UsersPage() {
  const { self } = useSession();
  const { data, error } = useQuery(usersQuery);
  const [creating, setCreating] = useState(false);
  const [handOver, setHandOver] = useState<HandedOver>();
  if (!data) return <Waiting error={error} />;
  const columns: Column<User>[] = [
    {
      name: usersText.columns.name,
      kind: 'text',
      cell: ({ id, username, email }) => (
        <>
          <strong>{username}</strong> {id === self?.id && <span className={parts.fine}>({usersText.you})</span>}
          <div className={parts.fine}>{email}</div>
        </>
      ),
    },
    { name: usersText.columns.role, cell: ({ role }) => text.roles[role] },
    { name: usersText.columns.state, cell: (user) => <State user={user} /> },
    { name: usersText.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: usersText.columns.actions,
      kind: 'action',
      cell: (user) => <UserMenu user={user} isSelf={user.id === self?.id} onNewPassword={setHandOver} />,
    },
  ];
  return (
    <>
      <PagePart title={usersText.title} hint={usersText.hint}>
        <Button variant="primary" onClick={() => setCreating(true)}>
          <Icon name="add" />
          {usersText.create}
        </Button>
      </PagePart>
      <DataTable label={usersText.title} columns={columns} rows={data.users} keyOf={({ id }) => id} />
      <Roles />
      {creating && <NewUser onClose={() => setCreating(false)} onCreated={setHandOver} />}
      {handOver && <HandOver {...handOver} onClose={() => setHandOver(undefined)} />}
    </>
  );
}

function State({ user: { disabled, must_change_password } }: { user: User }) {
  if (disabled) return <Badge tone="warn">{usersText.states.disabled}</Badge>;
  if (must_change_password) return <Badge tone="plain">{usersText.states.mustChange}</Badge>;
  return <Badge tone="good">{usersText.states.enabled}</Badge>;
}

/** What each role may do. */
const Roles = () => (
  <dl className={styles.roles}>
    {Object.entries(usersText.roleHints).map(([role, hint]) => (
      <div key={role}>
        <dt>{text.roles[role as User['role']]}</dt>
        <dd>{hint}</dd>
      </div>
    ))}
  </dl>
);
