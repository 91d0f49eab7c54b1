import { delayAfter } from '../../lib/concurrency/retry.ts';
import type { CertificateFacts } from './certificates.ts';

const hourMs = 3_600_000;
const maxDelayMs = 24 * hourMs;

/** Like `Math.random`: at least 0, below 1. */
type Random = () => number;

/**
 * When to renew a certificate: at two thirds of its life, up to 3 % of its life earlier, so that certificates issued together
 * are not all renewed together. Never after it has expired.
 */
export function renewalTime(facts: Pick<CertificateFacts, 'notBefore' | 'notAfter'>, random: Random): Date {
  const from = facts.notBefore.getTime();
  const until = facts.notAfter.getTime();
  const life = Math.max(0, until - from);
  return new Date(Math.min(until, from + Math.floor(life * (2 / 3 - 0.03 * random()))));
}

/**
 * When to retry after consecutive failures: after 1 h, 2 h, 4 h, … 24 h, up to a tenth of that later, and not before the
 * authority allows it.
 * @param failures at least 1
 */
export function nextAttempt(failures: number, now: Date, retryAt: Date | undefined, random: Random): Date {
  const pause = delayAfter(failures, hourMs, maxDelayMs);
  const earliest = Math.max(now.getTime() + pause, retryAt?.getTime() ?? 0);
  return new Date(earliest + Math.floor(pause * 0.1 * random()));
}
