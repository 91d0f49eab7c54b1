import { isDeepStrictEqual } from 'node:util';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import { type Site, siteRoles } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { ProxyStore } from '../store.ts';
import type { SiteManager } from '../sync/site-manager.ts';
import { type CertificateOrigin, currentAuthority } from './choose-certificate.ts';
import type { CertificateIssuer } from './issue-certificate.ts';

/**
 * Renewals per run, every ten minutes: Let’s Encrypt allows an account one new order every 36 seconds
 * (https://letsencrypt.org/docs/rate-limits/), and all sites are due together after a change of the authority.
 */
const maxPerRun = 15;

/**
 * Obtains the certificates that are due: after a failure, at two thirds of their lifetime, or after a change of the authority.
 * @returns runs once and returns how many sites got another certificate
 */
export function createRenewal(
  deps: CertificateOrigin & {
    rows: ProxyStore;
    sites: Pick<SiteManager, 'inService'>;
    issuer: CertificateIssuer;
    tenants: Pick<Tenants, 'find'>;
    engine: Pick<OperationEngine, 'exclusive' | 'isBusy'>;
    writeAuditLog: WriteAuditLog;
    clock: Clock;
    logger: Logger;
  },
) {
  const { rows, sites, issuer, tenants, engine, writeAuditLog, clock, logger } = deps;
  const inUse = currentAuthority(deps);

  async function awaited(): Promise<string[]> {
    const due = await rows.due(clock.now(), maxPerRun);
    // A site without a certificate (skip_ssl) has no authority.
    const ofOthers = (await rows.all()).filter(({ certificateAuthority: noted }) => noted !== null && noted !== inUse);
    return [...new Set([...due, ...ofOthers].map(({ tenantId }) => tenantId))].slice(0, maxPerRun);
  }

  async function renew(tenant: Tenant, signal: AbortSignal): Promise<boolean> {
    const work = { log: (line: string) => logger.info({ tenant: tenant.slug, line }, 'certificate'), signal };
    const renewed = await engine.exclusive(tenant.id, 'certificate renewal', async () => {
      const noted = await rows.of(tenant.id);
      const before = tlsOf(noted?.site ?? null);
      // After a change of the authority, a valid certificate may already be saved.
      const answer = await issuer.issue(tenant, work, { renew: noted?.certificateAuthority === inUse });
      return answer === undefined && !isDeepStrictEqual(tlsOf(await sites.inService(tenant.id)), before);
    });
    if (!renewed) return false;
    await writeAuditLog({
      level: 'info',
      category: 'system',
      topic: 'certificate',
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
        // The proxy is unavailable or another operation started: the certificate stays due for the next run.
        const known = error instanceof AppError;
        logger[known ? 'warn' : 'error']({ tenant: tenantId, message: messageOf(error) }, 'certificate not renewed');
      }
    }
    // Last, so that a failure here blocks no renewal.
    for (const { tenantId, site } of await rows.all()) if (!engine.isBusy(tenantId)) await issuer.forgetOld(site);
    return count;
  };
}

const tlsOf = (site: Site | null) => siteRoles.map((role) => site?.hosts[role].tls ?? null);
