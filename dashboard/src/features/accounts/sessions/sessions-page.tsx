import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { RelativeTime, Time, timeText } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { sessionsText } from './messages.ts';

/** The user's own sessions, to end one or all others. */
export function SessionsPage() {
  const { data, error } = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<OpenSession>();
  const [endingOthers, setEndingOthers] = useState(false);
  const { title, hint, one, others } = sessionsText;
  return (
    <>
      <PageHead title={title} hint={hint}>
        {data && data.sessions.length > 1 && (
          <Button variant="danger" onClick={() => setEndingOthers(true)}>
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
            notify(one.done);
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
            notify(others.done);
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

/** The first that matches counts: most browsers also name others. */
const browsers: readonly [mark: string, name: string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const systems: readonly [mark: string, name: string][] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

const firstIn = (userAgent: string, names: typeof browsers): string | undefined =>
  names.find(([mark]) => userAgent.includes(mark))?.[1];

/** A name for the program that signed in: `Firefox on Linux`, `curl/8.14`. */
function programName(userAgent: string): string {
  const browser = firstIn(userAgent, browsers);
  const system = firstIn(userAgent, systems);
  if (browser && system) return sessionsText.on(browser, system);
  return browser ?? (userAgent.split(' ')[0] || sessionsText.unknown);
}

type OpenSession = components['schemas']['Session'];

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => dataOf(api.GET('/api/auth/sessions', { params: { query: { limit: 500 } } })),
});

const refreshSessions = (): void => void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
