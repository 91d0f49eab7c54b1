import { createRequire } from 'node:module';
import type * as limiters from 'rate-limiter-flexible';

const load = createRequire(import.meta.url);

/** Loaded by its file, as the next one: the package's index loads the limiters of all databases, 3 MiB. */
export const RateLimiterMemory: typeof limiters.RateLimiterMemory = load(
  'rate-limiter-flexible/lib/RateLimiterMemory.js',
);
/** Work that exceeds a limiter's rate waits for its turn. */
export const RateLimiterQueue: typeof limiters.RateLimiterQueue = load('rate-limiter-flexible/lib/RateLimiterQueue.js');
