import { retryUntilStopped } from '../../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../../lib/errors.ts';
import type { FleetDependencies } from '../dependencies.ts';
import type { Fleet, Member } from '../fleet.ts';
import { endOfUpgrade, type MemberEnd, refused } from '../outcome.ts';

/**
 * Upgrades one tenant of a fleet upgrade, whose row says `upgrading` and bears the operation's id: one that an earlier manager
 * began is found by it, and nothing is begun twice.
 * @param tools.attempts how often it was tried in a row, this time included
 */
export async function attemptUpgrade(
  fleet: Fleet,
  member: Member & { operationId: string },
  tools: Pick<FleetDependencies, 'upgrades' | 'tenants' | 'logger'> & { stopping: AbortSignal; attempts: number },
): Promise<MemberEnd> {
  const { upgrades, tenants, logger, stopping } = tools;
  const patience = { operation: member.operationId, logger, stopping };
  try {
    return await begun();
  } catch (error) {
    if (stopping.aborted) return { kind: 'left' };
    throw error;
  }

  async function begun(): Promise<MemberEnd> {
    const { targetVersion, backupDb, runMigrations } = fleet.options;
    const request = { targetVersion, backupDb, runMigrations, allowDowngrade: false };
    try {
      await upgrades.begin(member.tenantId, request, fleet.createdBy, { id: member.operationId });
    } catch (error) {
      const isGone = (await retryUntilStopped(() => tenants.find(member.tenantId), patience)) === undefined;
      const end = refused(error, { isGone, attempts: tools.attempts });
      logger.info({ fleet: fleet.id, tenant: member.slug, message: messageOf(error) }, 'an upgrade was not begun');
      return end;
    }
    return waited();
  }

  async function waited(): Promise<MemberEnd> {
    return retryUntilStopped(async () => {
      try {
        return endOfUpgrade(await upgrades.outcome(member.operationId));
      } catch (error) {
        const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
        if (code === 'shutting_down') return { kind: 'left' };
        if (code !== 'not_found') throw error;
        return { kind: 'ended', changes: { status: 'failed', reason: 'The record of its upgrade is gone' } };
      }
    }, patience);
  }
}
