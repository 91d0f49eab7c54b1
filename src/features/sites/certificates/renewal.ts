import { isDeepStrictEqual } from 'node:util';
import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import { type Site, siteRoles } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { ProxyStore } from '../store.ts';
import type { SiteManager } from '../sync/site-manager.ts';
import type { SiteRegistry } from '../sync/site-registry.ts';
import { type CertificateOrigin, currentAuthority } from './choose-certificate.ts';
import type { CertificateIssuer } from './issue-certificate.ts';

interface RenewalDeps extends CertificateOrigin {
  store: Pick<ProxyStore, 'due'>;
  register: SiteRegistry;
  sites: Pick<SiteManager, 'inService'>;
  secure: CertificateIssuer;
  tenants: { find(id: string): Promise<Tenant | undefined> };
  engine: Pick<OperationEngine, 'exclusive' | 'isBusy'>;
  journal: WriteJournal;
  clock: Clock;
  logger: Logger;
}

/**
 * So many at a run, which comes every ten minutes: Let’s Encrypt gives an account one new order every 36 seconds
 * (https://letsencrypt.org/docs/rate-limits/), and when an authority is chosen all sites are due together.
 */
const mostAtOnce = 15;

/**
 * Obtains the certificates that are due: again after a failure, in another's place at two thirds of its life, or of the
 * authority that was chosen with the last start.
 * @returns looks once; answers how many sites were put into service with another one
 */
export function createRenewal(deps: RenewalDeps) {
  const { store, register, sites, secure, tenants, engine, journal, clock, logger } = deps;
  const inUse = currentAuthority(deps);

  async function awaited(): Promise<string[]> {
    const due = await store.due(clock.now(), mostAtOnce);
    // A site that never wanted one (skip_ssl) has none noted.
    const ofOthers = (await register.all()).filter(
      ({ certificateAuthority: noted }) => noted !== null && noted !== inUse,
    );
    return [...new Set([...due, ...ofOthers].map(({ tenantId }) => tenantId))].slice(0, mostAtOnce);
  }

  async function renew(tenant: Tenant, signal: AbortSignal): Promise<boolean> {
    const work = { log: (line: string) => logger.info({ tenant: tenant.slug, line }, 'certificate'), signal };
    const renewed = await engine.exclusive(tenant.id, 'certificate renewal', async () => {
      const noted = await register.of(tenant.id);
      const before = tlsOf(noted?.site ?? null);
      // Of an authority that was chosen with this start there may be one that is good.
      const answer = await secure.issue(tenant, work, { renew: noted?.certificateAuthority === inUse });
      return answer === undefined && !isDeepStrictEqual(tlsOf(await sites.inService(tenant.id)), before);
    });
    if (!renewed) return false;
    await journal({
      level: 'info',
      category: 'system',
      message: `The certificate of ${tenant.slug} was renewed`,
      tenant,
    });
    return true;
  }

  return async (signal: AbortSignal): Promise<number> => {
    if (inUse === 'none') return 0;
    let count = 0;
    for (const tenantId of await awaited()) {
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
    // Last: what fails here keeps no certificate from being renewed.
    for (const { tenantId, site } of await register.all()) if (!engine.isBusy(tenantId)) await secure.forgetOld(site);
    return count;
  };
}

const tlsOf = (site: Site | null) => siteRoles.map((role) => site?.hosts[role].tls ?? null);
