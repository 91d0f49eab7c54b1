import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import { tokensText } from '../tokens/messages.ts';
import { type ApiToken, refreshTokens, userTokensQuery } from '../tokens/queries.ts';
import { TokenTable } from '../tokens/token-table.tsx';
import { usersText } from './messages.ts';
import type { User } from './queries.ts';

/** Another user's API tokens, for an administrator to see and revoke. */
export function UserTokens({ user: { id, username }, onClose }: { user: User; onClose(): void }) {
  const { data, error } = useQuery(userTokensQuery(id));
  const [revoking, setRevoking] = useState<ApiToken>();
  const { title, hint, none } = usersText.tokens;
  return (
    <Overlay place="side" title={title(username)} hint={hint} onClose={onClose}>
      <div className={parts.form}>
        {!data && <Waiting error={error} />}
        {data?.tokens.length === 0 && <p>{none(username)}</p>}
        {data && data.tokens.length > 0 && (
          <TokenTable label={title(username)} tokens={data.tokens} onRevoke={setRevoking} />
        )}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.close}</Button>
        </div>
      </div>
      {revoking && (
        <Confirm
          bad
          title={tokensText.remove.title(revoking.name)}
          hint={tokensText.remove.hint}
          submit={tokensText.remove.submit}
          act={() =>
            dataOf(api.DELETE('/api/users/{id}/tokens/{token_id}', { params: { path: { id, token_id: revoking.id } } }))
          }
          onDone={() => {
            refreshTokens();
            notify(tokensText.remove.done(revoking.name));
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </Overlay>
  );
}
