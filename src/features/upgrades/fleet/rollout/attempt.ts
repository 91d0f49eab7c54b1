import { retryUntilStopped } from '../../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../../lib/errors.ts';
import type { FleetsDeps } from '../fleet.ts';
import { type MemberEnd, resultOfRefusal, resultOfUpgrade } from '../outcome.ts';
import type { Fleet, Member } from '../store.ts';

/**
 * Upgrades one tenant of a fleet upgrade. Its row is already `upgrading` and has the operation's id, so that an upgrade that an
 * earlier manager started is found and not started twice.
 * @param options.attempts attempts in a row, including this one
 */
export async function attemptUpgrade(
  fleet: Fleet,
  member: Member & { operationId: string },
  { upgrades, tenants, logger }: FleetsDeps,
  { stopping, attempts }: { stopping: AbortSignal; attempts: number },
): Promise<MemberEnd> {
  const retryOptions = { operation: member.operationId, logger, stopping };
  try {
    return await start();
  } catch (error) {
    if (stopping.aborted) return { kind: 'left' };
    throw error;
  }

  async function start(): Promise<MemberEnd> {
    const { targetVersion, backupDb, runMigrations } = fleet.options;
    const request = { targetVersion, backupDb, runMigrations, allowDowngrade: false };
    try {
      await upgrades.begin(member.tenantId, request, fleet.createdBy, { id: member.operationId });
    } catch (error) {
      const isGone = (await retryUntilStopped(() => tenants.find(member.tenantId), retryOptions)) === undefined;
      const result = resultOfRefusal(error, { isGone, attempts });
      logger.info({ fleet: fleet.id, tenant: member.slug, message: messageOf(error) }, 'upgrade not started');
      return result;
    }
    return waitForEnd();
  }

  async function waitForEnd(): Promise<MemberEnd> {
    return retryUntilStopped(async () => {
      try {
        return resultOfUpgrade(await upgrades.outcome(member.operationId));
      } catch (error) {
        const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
        if (code === 'shutting_down') return { kind: 'left' };
        if (code !== 'not_found') throw error;
        return { kind: 'ended', changes: { status: 'failed', reason: 'The record of its upgrade was removed' } };
      }
    }, retryOptions);
  }
}
