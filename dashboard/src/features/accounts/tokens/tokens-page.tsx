import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CopyField } from '../../../components/form/copy-field.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { useSession } from '../session/session.tsx';
import { tokensText } from './messages.ts';
import { NewToken } from './new-token.tsx';
import { type ApiToken, type CreatedToken, refreshTokens, tokensQuery } from './queries.ts';
import { TokenTable } from './token-table.tsx';

/** The user's own API tokens. */
export function TokensPage() {
  const { self } = useSession();
  const { data, error } = useQuery(tokensQuery);
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<CreatedToken>();
  const [revoking, setRevoking] = useState<ApiToken>();
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Icon name="add" />
      {tokensText.create}
    </Button>
  );
  return (
    <>
      <PageHead title={tokensText.title} hint={tokensText.hint}>
        {data && data.tokens.length > 0 && create}
      </PageHead>
      {!data && <Waiting error={error} />}
      {data?.tokens.length === 0 && (
        <Empty title={tokensText.emptyTitle} hint={tokensText.emptyHint}>
          {create}
        </Empty>
      )}
      {data && data.tokens.length > 0 && (
        <TokenTable label={tokensText.title} tokens={data.tokens} onRevoke={setRevoking} />
      )}
      {creating && self && data && (
        <NewToken ownRole={self.role} maxDays={data.max_days} onClose={() => setCreating(false)} onCreated={setMade} />
      )}
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
            notify(tokensText.remove.done(revoking.name));
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

/** A new token in plain text, shown only once, with a command to try it. */
const TokenMade = ({ made: { name, token }, onClose }: { made: CreatedToken; onClose(): void }) => (
  <Overlay place="middle" title={tokensText.made.title(name)} hint={tokensText.made.hint} onClose={onClose}>
    <div className={parts.form}>
      <CopyField label={tokensText.made.token} value={token} />
      <CopyField
        label={tokensText.made.example}
        value={`curl --header "Authorization: Bearer ${token}" ${location.origin}/api/tenants`}
      />
      <div className={parts.formEnd}>
        <Button variant="primary" onClick={onClose}>
          {tokensText.made.done}
        </Button>
      </div>
    </div>
  </Overlay>
);
