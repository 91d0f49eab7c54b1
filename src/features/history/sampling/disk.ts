import type { TenantData } from '../../../adapters/runtimes/runtime.ts';
import { messageOf } from '../../../lib/errors.ts';
import { directorySizes } from '../../../lib/files/directory-sizes.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';

const timeoutMs = 120_000;
/** An engine looks through all its volumes, images and containers for it. */
const elsewhereEveryMs = 3_600_000;

/** Measures what tenants' files use. */
export function createDiskSampler({
  tenants,
  runtime,
  logger,
}: {
  tenants: Pick<Tenants, 'each'>;
  runtime: { data: Pick<TenantData, 'usedBytes'> };
  logger: Logger;
}) {
  let elsewhere: ReadonlyMap<string, number> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const warn = (error: unknown): void =>
    logger.warn({ reason: messageOf(error) }, 'what tenants’ files use could not be measured');

  /** Asks hourly what the runtime keeps outside of tenants' directories. */
  async function askElsewhere(signal: AbortSignal): Promise<void> {
    if (!runtime.data.usedBytes || performance.now() - askedAt < elsewhereEveryMs) return;
    try {
      elsewhere = await runtime.data.usedBytes(signal);
      askedAt = performance.now();
    } catch (error) {
      signal.throwIfAborted();
      warn(error);
    }
  }

  /** Measures all deployed tenants, in bytes. Those whose directory takes too long are left out. */
  return async (onBytes: (tenant: Tenant, bytes: number) => void, signal: AbortSignal): Promise<void> => {
    await askElsewhere(signal);
    // A part would look like files that were deleted.
    if (runtime.data.usedBytes && !elsewhere) return;
    const deployed: Tenant[] = [];
    for await (const tenant of tenants.each({ deployedOnly: true })) deployed.push(tenant);
    const directories = deployed.map(({ directory }) => directory);
    const sizes = await directorySizes(directories, { timeoutMs, signal, onLate: warn });
    for (const tenant of deployed) {
      const [own, other] = [sizes.get(tenant.directory), elsewhere?.get(tenant.id)];
      if (own !== undefined || other !== undefined) onBytes(tenant, (own ?? 0) + (other ?? 0));
    }
  };
}
