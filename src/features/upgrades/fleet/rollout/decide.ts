import type { Fleet, Member } from '../store.ts';

/** The input of a decision. */
interface Situation {
  fleet: Pick<Fleet, 'status' | 'ring' | 'nextRingAt' | 'acceptedFailures' | 'options'>;
  members: readonly Pick<Member, 'tenantId' | 'slug' | 'ring' | 'status' | 'reason'>[];
  /** How many upgrades may run at a time. */
  concurrency: number;
  /** Tenants with another operation, and when to try them again. */
  busy: ReadonlyMap<string, Date>;
  now: Date;
}

/** What a fleet upgrade does next. */
export type Decision =
  /** Nothing, until an upgrade ends or a user changes the fleet upgrade. */
  | { kind: 'rest' }
  | { kind: 'begin'; tenantIds: string[] }
  /** Decide again then. */
  | { kind: 'wait'; until: Date }
  /** The ring has ended: the pause before the next ring starts. */
  | { kind: 'pause between rings'; until: Date }
  /** Check the ring's health; if it is good, `next` starts. */
  | { kind: 'check ring'; next: number }
  | { kind: 'halt'; reason: string }
  | { kind: 'complete' }
  /** It was cancelled: waiting tenants are skipped. */
  | { kind: 'skip the rest' }
  /** It was cancelled, and none of its upgrades is running. */
  | { kind: 'close' };

/** The next action, from the stored state. Pure. A ring starts only after all upgrades of the previous ring have ended. */
export function decide({ fleet, members, concurrency, busy, now }: Situation): Decision {
  if (fleet.status === 'cancelled') return whenCancelled(members);
  if (fleet.status !== 'running') return { kind: 'rest' };
  const tooMany = haltReason(fleet, members);
  if (tooMany !== undefined) return { kind: 'halt', reason: tooMany };

  const upgrading = members.filter(({ status }) => status === 'upgrading').length;
  const waiting = members.filter(({ ring, status }) => ring !== null && ring <= fleet.ring && status === 'waiting');
  if (waiting.length > 0) {
    const ready = waiting.filter(({ tenantId }) => !busy.has(tenantId));
    const tenantIds = ready.slice(0, Math.max(0, concurrency - upgrading)).map(({ tenantId }) => tenantId);
    if (tenantIds.length > 0) return { kind: 'begin', tenantIds };
    if (ready.length > 0) return { kind: 'rest' };
    const free = waiting.map(({ tenantId }) => busy.get(tenantId) ?? now);
    return { kind: 'wait', until: new Date(Math.min(...free.map((date) => date.getTime()))) };
  }
  if (upgrading > 0) return { kind: 'rest' };

  const next = nextRing(fleet, members);
  if (next === undefined) return { kind: 'complete' };
  if (fleet.nextRingAt === null) {
    // No pause after a ring in which no tenant was upgraded.
    const anyUpgraded = members.some(({ ring, status }) => ring === fleet.ring && status !== 'skipped');
    const pauseMs = anyUpgraded ? fleet.options.pauseBetweenS * 1000 : 0;
    return { kind: 'pause between rings', until: new Date(now.getTime() + pauseMs) };
  }
  return fleet.nextRingAt > now ? { kind: 'wait', until: fleet.nextRingAt } : { kind: 'check ring', next };
}

function whenCancelled(members: Situation['members']): Decision {
  if (members.some(({ status }) => status === 'waiting')) return { kind: 'skip the rest' };
  return members.some(({ status }) => status === 'upgrading') ? { kind: 'rest' } : { kind: 'close' };
}

/** The next ring with a waiting tenant. */
function nextRing(fleet: Pick<Fleet, 'ring'>, members: Situation['members']): number | undefined {
  const rings = members.flatMap(({ ring, status }) =>
    ring !== null && ring > fleet.ring && status === 'waiting' ? [ring] : [],
  );
  return rings.length === 0 ? undefined : Math.min(...rings);
}

/** How many failed tenants a halt's reason names. */
const maxNamed = 5;

function haltReason(
  { acceptedFailures, options }: Pick<Fleet, 'acceptedFailures' | 'options'>,
  members: Situation['members'],
): string | undefined {
  const failed = members.filter(({ status }) => status === 'failed');
  if (failed.length - acceptedFailures <= options.maxFailures) return undefined;
  const named = failed.slice(0, maxNamed).map(({ slug, reason }) => `${slug}: ${reason}`);
  const more = failed.length > maxNamed ? `; and ${failed.length - maxNamed} more` : '';
  const since = acceptedFailures > 0 ? `, ${acceptedFailures} of them before it was resumed` : '';
  return `${failed.length} failed${since}; ${options.maxFailures} may fail. ${named.join('; ')}${more}`;
}
