import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MemberStatus } from '../../../../src/features/upgrades/fleet/fleet.ts';
import { decide } from '../../../../src/features/upgrades/fleet/rollout/decide.ts';
import type { Fleet } from '../../../../src/features/upgrades/fleet/store.ts';

interface World {
  fleet: Pick<Fleet, 'status' | 'ring' | 'nextRingAt' | 'acceptedFailures' | 'options'>;
  members: { tenantId: string; slug: string; ring: number | null; status: MemberStatus; reason: string | null }[];
}

const world = (rings: (number | null)[], changes: Partial<World['fleet']> = {}, maxFailures = 0): World => ({
  fleet: {
    status: 'running',
    ring: 0,
    nextRingAt: null,
    acceptedFailures: 0,
    options: {
      targetVersion: 'v1.1.0',
      rings: [1, '100%'],
      maxFailures,
      pauseBetweenS: 60,
      backupDb: true,
      runMigrations: true,
      retryFailed: false,
    },
    ...changes,
  },
  members: rings.map((ring, index) => ({
    tenantId: String(index),
    slug: `t${index}`,
    ring,
    status: ring === null ? 'skipped' : 'waiting',
    reason: null,
  })),
});

const noon = new Date('2026-11-20T12:00:00.000Z');
const later = (seconds: number): Date => new Date(noon.getTime() + seconds * 1000);
const look = ({ fleet, members }: World, changes: { now?: Date; concurrency?: number; busy?: string[] } = {}) =>
  decide({
    fleet,
    members,
    now: changes.now ?? noon,
    concurrency: changes.concurrency ?? 2,
    busy: new Map(changes.busy?.map((id) => [id, later(2 + Number(id))])),
  });

const set = (one: World, statuses: MemberStatus[]): World => ({
  ...one,
  members: one.members.map((member, index) => ({ ...member, status: statuses[index] ?? member.status })),
});

describe('the next step of a fleet upgrade', () => {
  test('starts as many of the ring as the concurrency allows', () => {
    const one = world([0, 0, 0, 1]);
    expect(look(one)).toEqual({ kind: 'begin', tenantIds: ['0', '1'] });
    expect(look(set(one, ['upgrading']))).toEqual({ kind: 'begin', tenantIds: ['1'] });
    expect(look(set(one, ['upgrading', 'upgrading']))).toEqual({ kind: 'rest' });
    expect(look(one, { concurrency: 5, busy: ['0'] })).toEqual({ kind: 'begin', tenantIds: ['1', '2'] });
    expect(look(one, { busy: ['0', '1', '2'] })).toMatchObject({ kind: 'wait', until: later(2) });
  });

  test('waits for the ring, pauses, checks its health, then continues', () => {
    const one = world([0, 1, 2]);
    expect(look(set(one, ['upgrading']))).toEqual({ kind: 'rest' });
    const ended = set(one, ['succeeded']);
    expect(look(ended)).toEqual({ kind: 'pause between rings', until: later(60) });
    ended.fleet.nextRingAt = later(60);
    expect(look(ended)).toEqual({ kind: 'wait', until: later(60) });
    expect(look(ended, { now: later(60) })).toEqual({ kind: 'check ring', next: 1 });
  });

  test('skips rings without waiting tenants, and does not pause for them', () => {
    const one = set(world([0, 2]), ['skipped']);
    expect(look(one)).toEqual({ kind: 'pause between rings', until: noon });
    one.fleet.nextRingAt = noon;
    expect(look(one)).toEqual({ kind: 'check ring', next: 2 });
  });

  test('completes without a pause when no tenant is waiting', () => {
    expect(look(set(world([0, 1]), ['succeeded', 'succeeded']))).toEqual({ kind: 'complete' });
    expect(look(set(world([0, 1], {}, 1), ['succeeded', 'failed']))).toEqual({ kind: 'complete' });
    expect(look(world([null, null]))).toEqual({ kind: 'complete' });
  });

  test('halts after too many failures, and names the tenants', () => {
    const one = set(world([0, 0, 1], {}, 1), ['failed', 'failed']);
    expect(look(one)).toEqual({ kind: 'halt', reason: '2 failed; 1 may fail. t0: null; t1: null' });
    expect(look(set(one, ['failed', 'succeeded']))).toMatchObject({ kind: 'pause between rings' });
    one.fleet.acceptedFailures = 1;
    expect(look(one)).toMatchObject({ kind: 'pause between rings' });
    one.fleet.acceptedFailures = 0;
    one.fleet.options.maxFailures = 0;
    expect(look(set(one, ['failed', 'upgrading']))).toMatchObject({ kind: 'halt' });
  });

  test.each(['pending', 'paused', 'halted', 'completed'] as const)('starts nothing while it is %s', (status) => {
    expect(look(world([0, 1], { status }))).toEqual({ kind: 'rest' });
  });

  test('skips waiting tenants when cancelled, and ends when nothing is running', () => {
    const one = world([0, 1], { status: 'cancelled' });
    expect(look(set(one, ['upgrading']))).toEqual({ kind: 'skip the rest' });
    expect(look(set(one, ['upgrading', 'skipped']))).toEqual({ kind: 'rest' });
    expect(look(set(one, ['succeeded', 'skipped']))).toEqual({ kind: 'close' });
  });
});

/** Ends of upgrades, health checks, and resuming after a halt, in any order. */
const chances = fc.record({
  rings: fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null)), { maxLength: 12 }),
  maxFailures: fc.integer({ min: 0, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  ends: fc.infiniteStream(fc.constantFrom<MemberStatus>('succeeded', 'succeeded', 'succeeded', 'failed', 'skipped')),
  sick: fc.infiniteStream(fc.constantFrom(false, false, false, true)),
});

test('upgrades each tenant once, ring after ring, and stops if too many fail', () => {
  fc.assert(
    fc.property(chances, ({ rings, maxFailures, concurrency, ends, sick }) => {
      const ordered = rings.toSorted((a, b) => (a ?? 0) - (b ?? 0));
      const { fleet, members } = world(ordered, {}, maxFailures);
      const started: string[] = [];
      let now = noon;
      let decision = look({ fleet, members }, { concurrency, now });
      for (let turns = 0; turns < 500 && decision.kind !== 'complete'; turns += 1) {
        switch (decision.kind) {
          case 'begin':
            for (const member of members) {
              if (!decision.tenantIds.includes(member.tenantId)) continue;
              // None before all of the previous rings have ended.
              const open = members.filter(({ status }) => status === 'waiting' || status === 'upgrading');
              expect(Math.min(...open.map(({ ring }) => ring ?? 9))).toBe(member.ring);
              member.status = 'upgrading';
              started.push(member.tenantId);
            }
            expect(members.filter(({ status }) => status === 'upgrading').length).toBeLessThanOrEqual(concurrency);
            break;
          case 'rest': {
            const one = members.find(({ status }) => status === 'upgrading');
            expect(one).toBeDefined();
            if (one) one.status = ends.next().value;
            break;
          }
          case 'pause between rings':
            fleet.nextRingAt = decision.until;
            break;
          case 'wait':
            now = decision.until;
            break;
          case 'check ring': {
            const ill = members.find(({ ring, status }) => ring === fleet.ring && status === 'succeeded');
            if (ill && sick.next().value) ill.status = 'failed';
            else Object.assign(fleet, { ring: decision.next, nextRingAt: null });
            break;
          }
          case 'halt':
            expect(members.filter(({ status }) => status === 'failed').length).toBeGreaterThan(
              maxFailures + fleet.acceptedFailures,
            );
            fleet.acceptedFailures = members.filter(({ status }) => status === 'failed').length;
            break;
          default:
            throw new Error(`unexpected: ${decision.kind}`);
        }
        decision = look({ fleet, members }, { concurrency, now });
      }
      expect(decision.kind).toBe('complete');
      expect(started).toHaveLength(new Set(started).size);
      expect(new Set(started)).toEqual(
        new Set(members.flatMap(({ ring, tenantId }) => (ring === null ? [] : [tenantId]))),
      );
    }),
  );
});
