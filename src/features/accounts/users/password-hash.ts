import { createHmac } from 'node:crypto';
import { compare, hash } from 'bcrypt';

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Whether the password is the one that was hashed. Without a hash: false, after the same work. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
}

/**
 * bcrypt reads 72 bytes of its input and stops at a NUL, so that it would cut a long password silently. It gets the base64
 * of an HMAC-SHA-256 of the password instead: 44 characters that depend on all of it. The fixed key keeps these digests
 * apart from plain SHA-256 ones, so that digests stolen elsewhere are of no use here.
 */
const digestOf = (password: string): string =>
  createHmac('sha256', 'tenantry-password-v1').update(password.normalize('NFKC')).digest('base64');

/** @param cost bcrypt's cost: 2^cost rounds (12 takes about a quarter of a second) */
export function createPasswordHasher(cost: number): PasswordHasher {
  const hashOf = (password: string): Promise<string> => hash(digestOf(password), cost);
  // What is compared with where there is no such user, so that its absence can't be told by the time.
  const nobodys = hashOf('nobody');
  return {
    hash: hashOf,
    async matches(password, passwordHash) {
      const same = await compare(digestOf(password), passwordHash ?? (await nobodys));
      return same && passwordHash !== undefined;
    },
  };
}
