import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { tell } from '../parts/toasts.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { text } from '../text/en.ts';
import { tokensText } from '../text/tokens.ts';
import { usersText } from '../text/users.ts';
import { type ApiToken, refreshTokens, userTokensQuery } from '../tokens/queries.ts';
import { TokenTable } from '../tokens/token-table.tsx';
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
            tell(tokensText.remove.done(revoking.name));
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </Overlay>
  );
}
