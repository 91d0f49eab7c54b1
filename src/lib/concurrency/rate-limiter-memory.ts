import { createRequire } from 'node:module';
import type * as limiters from 'rate-limiter-flexible';

/** Loaded by its file: the package's index loads the limiters of all databases, 3 MiB. */
export const RateLimiterMemory: typeof limiters.RateLimiterMemory = createRequire(import.meta.url)(
  'rate-limiter-flexible/lib/RateLimiterMemory.js',
);
