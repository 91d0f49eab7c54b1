import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Candidate, planFleet } from '../../../../src/features/upgrades/fleet/rollout/plan.ts';
import { divideIntoRings, type RingSize, ringIssues } from '../../../../src/features/upgrades/fleet/rollout/rings.ts';
import { fleetBody } from '../../../../src/features/upgrades/fleet/schema.ts';

const sizes = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 1, max: 100 }).map((n) => `${n}%`),
  ),
  {
    minLength: 1,
    maxLength: 6,
  },
);
const items = fc.integer({ min: 0, max: 80 }).map((count) => Array.from({ length: count }, (_, index) => index));

describe('rings', () => {
  test.each<[number, RingSize[], number[], number]>([
    [20, [1, '10%', '100%'], [1, 1, 18], 0],
    [3, [1, '10%', '100%'], [1, 0, 2], 0],
    [1, [1, '10%', '100%'], [1, 0, 0], 0],
    [200, [1, '10%', '100%'], [1, 19, 180], 0],
    [10, ['25%'], [3], 7],
    [10, [2, 5], [2, 3], 5],
    [0, [1, '100%'], [0, 0], 0],
    [4, [10], [4], 0],
  ])('%i tenants in rings %j: %j, %i left out', (count, asked, expected, left) => {
    const divided = divideIntoRings(
      Array.from({ length: count }, (_, index) => index),
      asked,
    );
    expect(divided.rings.map((ring) => ring.length)).toEqual(expected);
    expect(divided.left).toHaveLength(left);
  });

  test('every item is in one ring or left out, in the given order', () => {
    fc.assert(
      fc.property(items, sizes, (given, asked) => {
        const { rings, left } = divideIntoRings(given, asked);
        expect(rings).toHaveLength(asked.length);
        expect([...rings.flat(), ...left]).toEqual(given);
        if (asked.includes('100%')) expect(left).toEqual([]);
      }),
    );
  });

  test('each ring reaches as far as specified, never less than the previous one', () => {
    fc.assert(
      fc.property(items, sizes, (given, asked) => {
        const { rings } = divideIntoRings(given, asked);
        let reached = 0;
        for (const [index, size] of asked.entries()) {
          reached += rings[index]?.length ?? 0;
          const wanted = typeof size === 'number' ? size : (given.length * Number.parseInt(size, 10)) / 100;
          expect(reached).toBeGreaterThanOrEqual(Math.min(given.length, wanted));
        }
      }),
    );
  });

  test('reports rings that do not grow', () => {
    expect(ringIssues([1, '10%', '100%'])).toEqual([]);
    expect(ringIssues([1, '10%', 5, '50%'])).toEqual([]);
    expect(ringIssues([5, '10%', 5]).map(({ path }) => path)).toEqual(['rings.2']);
    expect(ringIssues(['50%', 2, '20%', 1]).map(({ path }) => path)).toEqual(['rings.2', 'rings.3']);
    expect(ringIssues(['100%', 1])).toEqual([{ path: 'rings.1', message: expect.stringContaining('more than 100%') }]);
    // A share is rounded up: it is at least one tenant.
    expect(ringIssues(['1%', 1, 2]).map(({ path }) => path)).toEqual(['rings.1']);
    expect(ringIssues(['100%', '100%', 100_000]).map(({ path }) => path)).toEqual(['rings.1', 'rings.2']);
  });

  test('reports rings that add no tenant for any number of tenants, and only those', () => {
    fc.assert(
      fc.property(sizes, (asked) => {
        const named = new Set(ringIssues(asked).map(({ path }) => path));
        // If a share and a number differ, they do so below 10,000 tenants: the sizes are at most 60, the shares at
        // least 1 %.
        const brings = asked.map(() => false);
        for (const count of [...Array.from({ length: 130 }, (_, index) => index), 1_000, 6_001, 10_000]) {
          const { rings } = divideIntoRings(
            Array.from({ length: count }, (_, index) => index),
            asked,
          );
          for (const [index, ring] of rings.entries()) if (ring.length > 0) brings[index] = true;
        }
        for (const index of asked.keys()) if (named.has(`rings.${index}`)) expect(brings[index]).toBe(false);
        if (named.size === 0 && asked.length <= 2) expect(brings).toEqual(asked.map(() => true));
      }),
    );
  });
});

describe('the request', () => {
  const asked = (changes: Record<string, unknown>) =>
    fleetBody
      .safeParse({ target_version: 'v1.1.0', filter: {}, ...changes })
      .error?.issues.map(({ path }) => path.join('.'));

  test('has its defaults', () => {
    expect(fleetBody.parse({ target_version: 'v1.1.0', filter: {} })).toMatchObject({
      rings: [1, '10%', '100%'],
      max_failures: 0,
      pause_between_s: 0,
      backup_db: true,
      run_migrations: true,
      retry_failed: false,
    });
  });

  test.each([
    ['no ring', { rings: [] }, 'rings'],
    ['a ring without tenants', { rings: [0] }, 'rings.0'],
    ['a ring of 0%', { rings: ['0%'] }, 'rings.0'],
    ['a ring of 101%', { rings: [1, '101%'] }, 'rings.1'],
    ['half a tenant', { rings: [1.5] }, 'rings.0'],
    ['a ring that shrinks', { rings: ['50%', '20%'] }, 'rings.1'],
    ['a ring after all tenants', { rings: ['100%', 1] }, 'rings.1'],
    ['rings as a text', { rings: '100%' }, 'rings'],
    ['an invalid version', { target_version: 'latest' }, 'target_version'],
    ['both tenants and a filter', { tenant_ids: ['1b4e28ba-2fa1-4d2b-883f-0016d3cca427'] }, 'tenant_ids'],
    ['neither', { filter: undefined }, 'tenant_ids'],
    ['no tenant', { filter: undefined, tenant_ids: [] }, 'tenant_ids'],
    ['failures below 0', { max_failures: -1 }, 'max_failures'],
    ['an unknown field', { ring: [1] }, ''],
  ])('rejects %s with the field’s name', (_what, changes, path) => {
    expect(asked(changes)).toEqual([path]);
  });

  test('rejects a tenant that is listed twice', () => {
    const id = '1b4e28ba-2fa1-4d2b-883f-0016d3cca427';
    expect(asked({ filter: undefined, tenant_ids: [id, id] })).toEqual(['tenant_ids']);
  });
});

const runs = (version: string | null) => ({ version, commit: `commit of ${version}` });
const candidate = (changes: Partial<Candidate> = {}): Candidate => ({
  tenantId: 'id',
  slug: 'slug',
  deployed: runs('v1.0.0'),
  heldBy: undefined,
  offered: 'commit of v1.1.0',
  failures: [],
  ...changes,
});
const options = { targetVersion: 'v1.1.0', rings: [1, '100%'], retryFailed: false };
const failure = { version: 'v1.1.0', commit: 'commit of v1.1.0', reason: 'Health check: 500' };

describe('the plan', () => {
  test.each<[string, Partial<Candidate>, RegExp]>([
    ['is not deployed', { deployed: null }, /^Not deployed$/],
    ['runs the version', { deployed: runs('v1.1.0') }, /^Already runs v1\.1\.0$/],
    [
      'runs the version, with an unreachable repository',
      { deployed: runs('v1.1.0'), offered: undefined },
      /^Already runs v1\.1\.0$/,
    ],
    ['runs a newer one', { deployed: runs('v1.10.0') }, /^Runs v1\.10\.0, which is newer$/],
    ['is in another fleet upgrade', { heldBy: 'fleet-7' }, /fleet-7/],
    ['has a repository without the version', { offered: null }, /^No version v1\.1\.0 in its repository$/],
    ['has failed with it before', { failures: [failure] }, /An earlier upgrade to v1\.1\.0 failed.*Health check: 500/],
    [
      'has failed with it before, with an unreachable repository',
      { failures: [failure], offered: undefined },
      /An earlier upgrade to v1\.1\.0 failed/,
    ],
  ])('skips a tenant that %s', (_what, changes, reason) => {
    const [first, second] = planFleet([candidate(changes), candidate()], options);
    expect(first?.assignment).toEqual({ ring: null, reason: expect.stringMatching(reason) });
    expect(second?.assignment).toEqual({ ring: 0, reason: null });
  });

  test.each<[string, Partial<Candidate>]>([
    ['runs a branch’s head', { deployed: runs(null) }],
    ['runs a pre-release of it', { deployed: runs('v1.1.0-rc.1') }],
    ['runs the tag as it was before it was moved', { deployed: { version: 'v1.1.0', commit: 'earlier' } }],
    ['has failed with an earlier commit of the tag', { failures: [{ ...failure, commit: 'earlier' }] }],
    ['has failed with another version', { failures: [{ ...failure, version: 'v1.0.5', commit: 'other' }] }],
  ])('includes a tenant that %s', (_what, changes) => {
    expect(planFleet([candidate(changes)], options).map(({ assignment }) => assignment.ring)).toEqual([0]);
  });

  test('includes a failed one if requested', () => {
    const planned = planFleet([candidate({ failures: [failure] })], { ...options, retryFailed: true });
    expect(planned.map(({ assignment }) => assignment.ring)).toEqual([0]);
  });

  test('gives each candidate one assignment, in the given order', () => {
    const one = fc.record({
      deployed: fc.constantFrom(runs('v1.0.0'), runs('v1.1.0'), runs('v2.0.0'), runs(null), null),
      heldBy: fc.constantFrom(undefined, 'other'),
      failures: fc.constantFrom([], [failure]),
      offered: fc.constantFrom('commit of v1.1.0', null, undefined),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), sizes, fc.boolean(), (given, rings, retryFailed) => {
        const candidates = given.map((changes, index) => candidate({ ...changes, tenantId: String(index) }));
        const planned = planFleet(candidates, { targetVersion: 'v1.1.0', rings, retryFailed });
        expect(planned.map((one) => one.candidate)).toEqual(candidates);
        const placed = planned.flatMap(({ assignment }) => (assignment.ring === null ? [] : [assignment.ring]));
        expect(placed).toEqual([...placed].sort((a, b) => a - b));
        for (const { candidate: one, assignment } of planned) {
          if (assignment.ring === null) expect(assignment.reason).not.toBe('');
          else {
            expect(one.heldBy).toBeUndefined();
            expect(one.deployed).not.toBeNull();
            expect(one.offered).not.toBeNull();
          }
        }
      }),
    );
  });
});
