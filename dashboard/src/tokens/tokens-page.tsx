import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Badge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { tell } from '../parts/toasts.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useSession } from '../session/session.tsx';
import { text } from '../text/en.ts';
import { tokensText } from '../text/tokens.ts';
import { NewToken } from './new-token.tsx';
import { type ApiToken, type CreatedToken, refreshTokens, tokensQuery } from './queries.ts';
import { TokenMade } from './token-made.tsx';

/** One's own tokens for scripts. */
export function TokensPage() {
  const { self } = useSession();
  const { data, error } = useQuery(tokensQuery);
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<CreatedToken>();
  const [revoking, setRevoking] = useState<ApiToken>();
  const create = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {tokensText.create}
    </Button>
  );
  return (
    <>
      <PageHead title={tokensText.title} hint={tokensText.hint(self ? text.roles[self.role] : '')}>
        {data && data.tokens.length > 0 && create}
      </PageHead>
      {!data && <Waiting error={error} />}
      {data?.tokens.length === 0 && (
        <Empty title={tokensText.emptyTitle} hint={tokensText.emptyHint}>
          {create}
        </Empty>
      )}
      {data && data.tokens.length > 0 && (
        <DataTable
          label={tokensText.title}
          columns={columnsOf(setRevoking)}
          rows={data.tokens}
          keyOf={({ id }) => id}
        />
      )}
      {creating && <NewToken onClose={() => setCreating(false)} onCreated={setMade} />}
      {made && <TokenMade made={made} onClose={() => setMade(undefined)} />}
      {revoking && (
        <Confirm
          bad
          title={tokensText.remove.title(revoking.name)}
          hint={tokensText.remove.hint}
          submit={tokensText.remove.submit}
          act={() => dataOf(api.DELETE('/api/auth/tokens/{id}', { params: { path: { id: revoking.id } } }))}
          onDone={() => {
            refreshTokens();
            tell(tokensText.remove.done(revoking.name));
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

function columnsOf(revoke: (token: ApiToken) => void): Column<ApiToken>[] {
  const { name, created, used, expires, actions } = tokensText.columns;
  return [
    { name, kind: 'text', cell: (token) => <strong>{token.name}</strong> },
    { name: created, cell: ({ created_at }) => <Time at={created_at} /> },
    { name: used, cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : text.never) },
    { name: expires, cell: (token) => <End token={token} /> },
    {
      name: actions,
      kind: 'action',
      cell: (token) => (
        <Button aria-label={tokensText.revokeOf(token.name)} onClick={() => revoke(token)}>
          {tokensText.revoke}
        </Button>
      ),
    },
  ];
}

function End({ token: { expires_at } }: { token: ApiToken }) {
  if (!expires_at) return tokensText.noEnd;
  if (Date.parse(expires_at) <= Date.now()) return <Badge tone="warn">{tokensText.expired}</Badge>;
  return <Time at={expires_at} />;
}
