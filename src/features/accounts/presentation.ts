import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import type { SignedIn } from './sign-in/sign-in.ts';
import type { ApiToken, User } from './store.ts';

/** A user as it is told to itself. */
export const shortUser = ({ id, username, email, role }: User) => ({ id, username, email, role });

export const selfOnWire = (of: User) => ({
  ...shortUser(of),
  must_change_password: of.mustChangePassword,
  password_changed_at: toTimestampOrNull(of.passwordChangedAt),
});

export const sessionOnWire = ({ secret: accessToken, user: of }: SignedIn) => ({
  access_token: accessToken,
  token_type: 'bearer' as const,
  user: shortUser(of),
});

export const userOnWire = (of: User) => ({
  ...shortUser(of),
  disabled: of.disabled,
  must_change_password: of.mustChangePassword,
  created_at: toTimestamp(of.createdAt),
});

export const tokenOnWire = (token: ApiToken) => ({
  id: token.id,
  name: token.name,
  role: token.role,
  created_at: toTimestamp(token.createdAt),
  expires_at: toTimestamp(token.expiresAt),
  last_used_at: toTimestampOrNull(token.lastUsedAt),
});
