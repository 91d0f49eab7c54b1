import { z } from 'zod';
import { timestamp } from '../../../lib/http/routing/formats.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { sessionKinds } from './store.ts';

const openSession = z
  .object({
    id: z.string(),
    kind: z.enum(sessionKinds).meta({ description: '`browser`: the dashboard; `token`: an access token' }),
    created_at: timestamp,
    last_used_at: timestamp.meta({ description: 'Exact to a minute' }),
    expires_at: timestamp,
    address: z.string(),
    user_agent: z.string(),
    current: z.boolean().meta({ description: 'Whether this request was made with it' }),
  })
  .meta({ id: 'Session' });

export const sessionList = listOf('sessions', openSession);
