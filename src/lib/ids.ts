import { randomBytes, randomUUID } from 'node:crypto';

/** A new record id (UUID version 4). */
export const newId = (): string => randomUUID();

/** A random url-safe secret of `bytes` random bytes (default 32: 256 bits). */
export const newSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url');
