import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Button } from '../../../components/form/button.tsx';
import { text } from '../../../lib/messages.ts';
import { tokensText } from './messages.ts';
import type { ApiToken } from './queries.ts';

interface TokenTableProps {
  label: string;
  tokens: ApiToken[];
  onRevoke(token: ApiToken): void;
}

/** API tokens with their role and end, each with a button to revoke it. */
export const TokenTable = ({ label, tokens, onRevoke }: TokenTableProps) => (
  <DataTable label={label} columns={columnsOf(onRevoke)} rows={tokens} keyOf={({ id }) => id} />
);

function columnsOf(revoke: (token: ApiToken) => void): Column<ApiToken>[] {
  const { name, role, created, used, expires, actions } = tokensText.columns;
  return [
    { name, kind: 'text', cell: (token) => <strong>{token.name}</strong> },
    { name: role, cell: (token) => text.roles[token.role] },
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
  if (Date.parse(expires_at) <= Date.now()) return <Badge tone="warn">{tokensText.expired}</Badge>;
  return <Time at={expires_at} />;
}
