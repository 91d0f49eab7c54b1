import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextAttempt, renewalTime } from '../../../../src/adapters/certificates/renewal.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = new Date('2026-06-01T00:00:00Z');
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

describe('renewal time', () => {
  test('90 days: after 60, up to 2.7 days earlier', () => {
    const facts = { notBefore: now, notAfter: new Date(now.getTime() + 90 * day) };
    expect(renewalTime(facts, () => 0)).toEqual(new Date(now.getTime() + 60 * day));
    const earliest = renewalTime(facts, () => 1).getTime();
    expect((now.getTime() + 60 * day - earliest) / day).toBeCloseTo(2.7);
  });

  test('is always within the lifetime, between 63 and 67 % of it', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 1_000 * day }), random, (notBefore, life, chance) => {
        const notAfter = new Date(notBefore.getTime() + life);
        const at = renewalTime({ notBefore, notAfter }, () => chance);
        expect(at.getTime()).toBeLessThanOrEqual(notAfter.getTime());
        const share = (at.getTime() - notBefore.getTime() + 1) / life;
        expect(share).toBeGreaterThan(0.63);
        expect(at.getTime() - notBefore.getTime()).toBeLessThanOrEqual((life * 2) / 3);
      }),
    );
  });

  test('is never after expiry, also if the certificate expires before it becomes valid', () => {
    fc.assert(
      fc.property(moment, moment, random, (notBefore, notAfter, chance) => {
        expect(renewalTime({ notBefore, notAfter }, () => chance).getTime()).toBeLessThanOrEqual(notAfter.getTime());
      }),
    );
  });
});

describe('retry time', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [5, 16],
    [6, 24],
    [7, 24],
    [10_000, 24],
  ])('after %i failures: %i h', (failures, hours) => {
    expect(nextAttempt(failures, now, undefined, () => 0)).toEqual(new Date(now.getTime() + hours * hour));
  });

  test('grows with every failure, at most a tenth later than scheduled, and respects the authority’s Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.option(moment, { nil: undefined }),
        random,
        (failures, retryAt, chance) => {
          const least = nextAttempt(failures, now, undefined, () => 0).getTime();
          const at = nextAttempt(failures, now, retryAt, () => chance).getTime();
          expect(at).toBeGreaterThanOrEqual(Math.max(least, retryAt?.getTime() ?? 0));
          expect(at).toBeLessThanOrEqual(Math.max(least, retryAt?.getTime() ?? 0) + (least - now.getTime()) * 0.1);
          expect(nextAttempt(failures + 1, now, undefined, () => 0).getTime()).toBeGreaterThanOrEqual(least);
        },
      ),
    );
  });
});
