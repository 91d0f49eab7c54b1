import { createHash, timingSafeEqual } from 'node:crypto';
import { failure } from './errors.js';

const digest = (text) => createHash('sha256').update(text).digest();

/**
 * Accepts requests with one of the keys; without configured keys, none. Every key is compared, by digests of one length,
 * so that the response time reveals nothing.
 * @param {string[]} keys
 * @returns {import('hono').MiddlewareHandler}
 */
export function requireKey(keys) {
  const digests = keys.map(digest);
  return async (c, next) => {
    const presented = digest(c.req.header('X-API-Key') ?? '');
    const accepted = digests.reduce((found, key) => timingSafeEqual(key, presented) || found, false);
    if (!accepted) throw failure(401, 'X-API-Key is missing or unknown');
    await next();
  };
}
