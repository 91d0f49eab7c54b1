import type { Fleet, Member } from '../fleet.ts';

/** What there is to go by. */
interface Situation {
  fleet: Pick<Fleet, 'status' | 'ring' | 'nextRingAt' | 'acceptedFailures' | 'options'>;
  members: readonly Pick<Member, 'tenantId' | 'slug' | 'ring' | 'status' | 'reason'>[];
  /** How many upgrades may be under way at a time. */
  room: number;
  /** Tenants on which something else works, and until when they are left alone. */
  busy: ReadonlyMap<string, Date>;
  now: Date;
}

/** What a fleet upgrade does next. */
export type Decision =
  /** Nothing, until something ends or a user says otherwise. */
  | { kind: 'rest' }
  | { kind: 'begin'; tenantIds: string[] }
  /** Looks again then. */
  | { kind: 'wait'; until: Date }
  /** The ring has ended: the pause before the next begins. */
  | { kind: 'pause between rings'; until: Date }
  /** Looks at the ring's health; where it is good, `next` begins. */
  | { kind: 'check ring'; next: number }
  | { kind: 'halt'; reason: string }
  | { kind: 'complete' }
  /** It was cancelled: whoever waits is skipped. */
  | { kind: 'skip the rest' }
  /** It was cancelled, and nothing of it is under way any more. */
  | { kind: 'close' };

/** What comes next: pure, from what is in the store. Begins nothing in a ring before all of the ring before have ended. */
export function decide({ fleet, members, room, busy, now }: Situation): Decision {
  if (fleet.status === 'cancelled') return whenCancelled(members);
  if (fleet.status !== 'running') return { kind: 'rest' };
  const tooMany = haltReason(fleet, members);
  if (tooMany !== undefined) return { kind: 'halt', reason: tooMany };

  const upgrading = members.filter(({ status }) => status === 'upgrading').length;
  const waiting = members.filter(({ ring, status }) => ring !== null && ring <= fleet.ring && status === 'waiting');
  if (waiting.length > 0) {
    const ready = waiting.filter(({ tenantId }) => !busy.has(tenantId));
    const tenantIds = ready.slice(0, Math.max(0, room - upgrading)).map(({ tenantId }) => tenantId);
    if (tenantIds.length > 0) return { kind: 'begin', tenantIds };
    if (ready.length > 0) return { kind: 'rest' };
    const free = waiting.map(({ tenantId }) => busy.get(tenantId) ?? now);
    return { kind: 'wait', until: new Date(Math.min(...free.map((date) => date.getTime()))) };
  }
  if (upgrading > 0) return { kind: 'rest' };

  const next = nextRing(fleet, members);
  if (next === undefined) return { kind: 'complete' };
  if (fleet.nextRingAt === null) {
    // A ring of which nobody was upgraded has nothing to be watched for.
    const ran = members.some(({ ring, status }) => ring === fleet.ring && status !== 'skipped');
    const pauseMs = ran ? fleet.options.pauseBetweenS * 1000 : 0;
    return { kind: 'pause between rings', until: new Date(now.getTime() + pauseMs) };
  }
  return fleet.nextRingAt > now ? { kind: 'wait', until: fleet.nextRingAt } : { kind: 'check ring', next };
}

function whenCancelled(members: Situation['members']): Decision {
  if (members.some(({ status }) => status === 'waiting')) return { kind: 'skip the rest' };
  return members.some(({ status }) => status === 'upgrading') ? { kind: 'rest' } : { kind: 'close' };
}

/** The next ring in which somebody waits. */
function nextRing(fleet: Pick<Fleet, 'ring'>, members: Situation['members']): number | undefined {
  const rings = members.flatMap(({ ring, status }) =>
    ring !== null && ring > fleet.ring && status === 'waiting' ? [ring] : [],
  );
  return rings.length === 0 ? undefined : Math.min(...rings);
}

/** Names of tenants that a reason tells of. */
const mostNamed = 5;

function haltReason(
  { acceptedFailures, options }: Pick<Fleet, 'acceptedFailures' | 'options'>,
  members: Situation['members'],
): string | undefined {
  const failed = members.filter(({ status }) => status === 'failed');
  if (failed.length - acceptedFailures <= options.maxFailures) return undefined;
  const named = failed.slice(0, mostNamed).map(({ slug, reason }) => `${slug}: ${reason}`);
  const more = failed.length > mostNamed ? `; and ${failed.length - mostNamed} more` : '';
  const since = acceptedFailures > 0 ? `, ${acceptedFailures} of them before it was resumed` : '';
  return `${failed.length} failed${since}; ${options.maxFailures} may fail. ${named.join('; ')}${more}`;
}
