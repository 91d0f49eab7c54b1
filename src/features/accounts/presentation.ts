import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import type { SignedIn } from './sign-in/sign-in.ts';
import type { ApiToken, User } from './store.ts';

/** The fields that every response about a user contains. */
export const userSummary = ({ id, username, email, role }: User) => ({ id, username, email, role });

export const ownUserResponse = (of: User) => ({
  ...userSummary(of),
  must_change_password: of.mustChangePassword,
  password_changed_at: toTimestampOrNull(of.passwordChangedAt),
});

export const sessionResponse = ({ secret: accessToken, user: of }: SignedIn) => ({
  access_token: accessToken,
  token_type: 'bearer' as const,
  user: userSummary(of),
});

export const userResponse = (of: User) => ({
  ...userSummary(of),
  disabled: of.disabled,
  must_change_password: of.mustChangePassword,
  created_at: toTimestamp(of.createdAt),
});

export const tokenResponse = (token: ApiToken) => ({
  id: token.id,
  name: token.name,
  role: token.role,
  created_at: toTimestamp(token.createdAt),
  expires_at: toTimestamp(token.expiresAt),
  last_used_at: toTimestampOrNull(token.lastUsedAt),
});
