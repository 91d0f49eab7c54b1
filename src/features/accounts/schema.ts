import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { listOf } from '../../lib/http/routing/paging.ts';
import { roles } from '../../lib/http/routing/roles.ts';

const role = z.enum(roles);
/** Letters, digits and `._@+-`, so that a name can't be mistaken for another by white space or control characters. */
const username = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]*$/u, 'Letters, digits and . _ @ + - only, beginning with a letter or digit')
  .transform((name) => name.normalize('NFC'));
const email = z.email().max(255);
/** Length is all a schema can tell; how guessable it is, `password-rules.ts` says. */
const newPassword = z.string().min(12).max(200).meta({ format: 'password' });
const givenPassword = z.string().max(1_000).meta({ format: 'password' });

export const credentials = z.strictObject({ username: z.string().max(255), password: givenPassword });

export const session = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  user: z.object({ id: z.string(), username: z.string(), email: z.string(), role }),
});

export const me = session.shape.user.extend({
  must_change_password: z.boolean(),
  password_changed_at: timestamp
    .nullable()
    .meta({ description: 'By the user or an administrator; null: not recorded' }),
});

/** What a page in a browser gets; the secret of its session is in the cookie. */
export const browserSession = z.object({ csrf_token: z.string(), user: me });

export const passwordChange = z.strictObject({
  current_password: givenPassword,
  new_password: newPassword,
  keep_api_tokens: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether the user’s API tokens stay valid; they end with the old password otherwise' }),
});
export const passwordChangeOf = (body: z.output<typeof passwordChange>) => ({
  current: body.current_password,
  next: body.new_password,
  keepApiTokens: body.keep_api_tokens,
});
export const passwordChanged = session.extend({ message: z.string() });

export const user = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    role,
    disabled: z.boolean(),
    must_change_password: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'User' });
export const userList = listOf('users', user);

const mustChange = z.boolean().meta({
  description: 'Whether the user must choose another password before anything else: for one that somebody else knows',
});

export const newUser = z.strictObject({
  username,
  email,
  password: newPassword,
  role: role.default('viewer'),
  disabled: z.boolean().default(false),
  must_change_password: mustChange.default(false),
});
export type NewUser = z.output<typeof newUser>;

export const userChange = z.strictObject({
  username: username.optional(),
  email: email.optional(),
  password: newPassword.optional(),
  role: role.optional(),
  disabled: z.boolean().optional(),
  must_change_password: mustChange.optional(),
});
export type UserChange = z.output<typeof userChange>;

export const newToken = z.strictObject({
  name: z.string().trim().min(1).max(120),
  expires_at: z.iso
    .datetime({ offset: true })
    .nullish()
    .meta({
      description: 'When the token ends: at most `api_token_max_days` from now, which is also the default',
      examples: ['2027-01-31T00:00:00.000Z'],
    }),
  role: role
    .optional()
    .meta({ description: 'At most one’s own, which is the default. It stays when the user gets a higher role' }),
});

const apiToken = z
  .object({
    id: z.string(),
    name: z.string(),
    role: role.meta({
      description: 'What the token may do: its role at creation or the user’s present one, whichever is lower',
    }),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiToken' });
export const apiTokenList = listOf('tokens', apiToken);
export const ownApiTokenList = apiTokenList.extend({
  max_days: z.int().meta({ description: 'The longest life of a new token: the setting api_token_max_days' }),
});
export const createdToken = apiToken
  .extend({ token: z.string().meta({ description: 'The token itself; it is shown this once' }) })
  .meta({ id: 'CreatedApiToken' });

export const done = z.object({ message: z.string() });
