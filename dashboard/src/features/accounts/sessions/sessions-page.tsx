import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { RelativeTime, Time, timeText } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { tell } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { sessionsText } from './messages.ts';
import { programName } from './program-name.ts';
import { type OpenSession, refreshSessions, sessionsQuery } from './queries.ts';

/** One's own sign-ins, to end one or all others. */
export function SessionsPage() {
  const { data, error } = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<OpenSession>();
  const [endingOthers, setEndingOthers] = useState(false);
  const { title, hint, one, others } = sessionsText;
  return (
    <>
      <PageHead title={title} hint={hint}>
        {data && data.sessions.length > 1 && (
          <Button look="danger" onClick={() => setEndingOthers(true)}>
            {others.open}
          </Button>
        )}
      </PageHead>
      {!data && <Waiting error={error} />}
      {data && <DataTable label={title} columns={columnsOf(setEnding)} rows={data.sessions} keyOf={({ id }) => id} />}
      {ending && (
        <Confirm
          bad
          title={one.title}
          hint={one.hint(nameOf(ending), ending.address)}
          submit={one.submit}
          act={() => dataOf(api.DELETE('/api/auth/sessions/{id}', { params: { path: { id: ending.id } } }))}
          onDone={() => {
            refreshSessions();
            tell(one.done);
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
      {endingOthers && (
        <Confirm
          bad
          title={others.title}
          hint={others.hint}
          submit={others.submit}
          act={() => dataOf(api.DELETE('/api/auth/sessions'))}
          onDone={() => {
            refreshSessions();
            tell(others.done);
          }}
          onClose={() => setEndingOthers(false)}
        />
      )}
    </>
  );
}

const nameOf = ({ user_agent }: OpenSession): string => programName(user_agent);

function columnsOf(end: (session: OpenSession) => void): Column<OpenSession>[] {
  const { where, address, since, used, expires, actions } = sessionsText.columns;
  return [
    {
      name: where,
      kind: 'text',
      cell: (session) => (
        <>
          <strong>{nameOf(session)}</strong> {session.current && <Badge tone="good">{sessionsText.current}</Badge>}
          {session.kind === 'token' && <Badge tone="plain">{sessionsText.script}</Badge>}
        </>
      ),
    },
    { name: address, cell: (session) => session.address },
    { name: since, cell: ({ created_at }) => <Time at={created_at} /> },
    { name: used, cell: ({ last_used_at }) => <RelativeTime at={last_used_at} /> },
    { name: expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      name: actions,
      kind: 'action',
      cell: (session) =>
        !session.current && (
          <Button
            aria-label={sessionsText.endOf(nameOf(session), timeText(session.created_at))}
            onClick={() => end(session)}
          >
            {sessionsText.end}
          </Button>
        ),
    },
  ];
}
