import { z } from 'zod';
import { instantText, timestamp } from '../../lib/http/routing/formats.ts';
import { listOf } from '../../lib/http/routing/paging.ts';
import { roles } from '../../lib/http/routing/roles.ts';

const role = z.enum(roles);
/** No white space or control characters: two different names must not look the same. */
const username = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@+-]*$/u, 'Use only letters, digits and . _ @ + -, starting with a letter or digit')
  .transform((name) => name.normalize('NFC'));
const email = z.email().max(255);
/** Only the length; `password-rules.ts` rejects guessable passwords. */
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
    .meta({ description: 'When the user or an administrator last changed the password; null: not recorded' }),
});

/** The response for browsers; the session secret is in the cookie. */
export const browserSession = z.object({ csrf_token: z.string(), user: me });

export const passwordChange = z.strictObject({
  current_password: givenPassword,
  new_password: newPassword,
  keep_api_tokens: z
    .boolean()
    .default(false)
    .meta({ description: 'Keep the user’s API tokens; by default, changing the password revokes them' }),
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
  description:
    'Whether the user must change the password before doing anything else; set it when someone else knows the password',
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
  expires_at: instantText.nullish().meta({
    description: 'When the token expires: at most `api_token_max_days` from now (the default)',
    examples: ['2027-01-31T00:00:00.000Z'],
  }),
  role: role
    .optional()
    .meta({ description: 'At most your own role (the default). It does not change when the user gets a higher role' }),
});

const apiToken = z
  .object({
    id: z.string(),
    name: z.string(),
    role: role.meta({
      description: 'The lower of the role set at creation and the user’s current role',
    }),
    created_at: timestamp,
    expires_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiToken' });
export const apiTokenList = listOf('tokens', apiToken);
export const ownApiTokenList = apiTokenList.extend({
  max_days: z.int().meta({ description: 'Maximum lifetime of a new token (setting api_token_max_days)' }),
});
export const createdToken = apiToken
  .extend({ token: z.string().meta({ description: 'The token. It is shown only once' }) })
  .meta({ id: 'CreatedApiToken' });

export const done = z.object({ message: z.string() });
