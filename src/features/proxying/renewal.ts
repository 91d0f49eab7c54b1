import type { Clock } from '../../kernel/clock.ts';
import { AppError, messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { OperationEngine } from '../../kernel/operations/engine.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Secure } from './secure.ts';
import type { ProxyStore } from './store.ts';

interface RenewalDeps {
  store: Pick<ProxyStore, 'due'>;
  secure: Secure;
  tenants: { find(id: string): Promise<Tenant | undefined> };
  engine: Pick<OperationEngine, 'exclusive' | 'isBusy'>;
  journal: WriteJournal;
  clock: Clock;
  logger: Logger;
}

/** So many at a run: authorities count orders, and a run must end. */
const mostAtOnce = 20;

/**
 * Obtains the certificates that are due: again after a failure, or in another's place at two thirds of its life.
 * @returns looks once; answers how many were put into service
 */
export function createRenewal({ store, secure, tenants, engine, journal, clock, logger }: RenewalDeps) {
  async function renew(tenant: Tenant, signal: AbortSignal): Promise<boolean> {
    const work = { log: (line: string) => logger.info({ tenant: tenant.slug, line }, 'certificate'), signal };
    const answer = await engine.exclusive(tenant.id, 'certificate renewal', () =>
      secure.secure(tenant, work, { renew: true }),
    );
    if (answer) return false;
    await journal({
      level: 'info',
      category: 'system',
      message: `The certificate of ${tenant.slug} was renewed`,
      tenant,
    });
    return true;
  }

  return async (signal: AbortSignal): Promise<number> => {
    let count = 0;
    for (const { tenantId } of await store.due(clock.now(), mostAtOnce)) {
      signal.throwIfAborted();
      const tenant = await tenants.find(tenantId);
      if (!tenant || engine.isBusy(tenantId)) continue;
      try {
        if (await renew(tenant, signal)) count += 1;
      } catch (error) {
        signal.throwIfAborted();
        // A proxy that is away, or an operation that came in between: due still, so asked for again at the next run.
        const known = error instanceof AppError;
        logger[known ? 'warn' : 'error']({ tenant: tenantId, message: messageOf(error) }, 'certificate not renewed');
      }
    }
    return count;
  };
}
