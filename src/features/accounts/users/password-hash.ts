import { createHmac } from 'node:crypto';
import { compare, hash } from 'bcrypt';

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Whether the password matches the hash. Without a hash: false, after the same amount of work. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
}

/**
 * bcrypt silently ignores input after 72 bytes or a NUL. So it gets the base64 of an HMAC-SHA-256 of the password: 44
 * characters that depend on all of it. The fixed key makes SHA-256 digests stolen elsewhere useless here.
 */
const digestOf = (password: string): string =>
  createHmac('sha256', 'tenantry-password-v1').update(password.normalize('NFKC')).digest('base64');

/** @param cost bcrypt's cost: 2^cost rounds (12 takes about a quarter of a second) */
export function createPasswordHasher(cost: number): PasswordHasher {
  const hashOf = (password: string): Promise<string> => hash(digestOf(password), cost);
  // Compared when the user does not exist, so that response times don't reveal which users exist.
  const dummyHash = hashOf('dummy');
  return {
    hash: hashOf,
    async matches(password, passwordHash) {
      const same = await compare(digestOf(password), passwordHash ?? (await dummyHash));
      return same && passwordHash !== undefined;
    },
  };
}
