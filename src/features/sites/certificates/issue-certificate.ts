import {
  type Certificate,
  type CertificateAuthority,
  CertificateRefused,
} from '../../../adapters/certificates/certificates.ts';
import { nextAttempt, renewalTime } from '../../../adapters/certificates/renewal.ts';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { ReverseProxy, Site } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { domainsOf, fingerprintsOf, isSecure } from '../site.ts';
import { type CertificateProgress, noCertificateYet, type ProxyStore } from '../store.ts';
import type { SiteManager } from '../sync/site-manager.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';
import { type CertificateOrigin, chooseCertificate, currentAuthority } from './choose-certificate.ts';

const hourMs = 3_600_000;
/** How often the operator's files are read again: no event reports their renewal. */
const filesIntervalMs = 12 * hourMs;

interface IssueOptions {
  renew?: boolean;
  keep?: ReadonlySet<string>;
}

/** Obtains certificates and applies them to tenants' sites. */
export function createCertificateIssuer(
  deps: CertificateOrigin & {
    sites: SiteManager;
    rows: ProxyStore;
    certificateStore: CertificateStore;
    proxy: Pick<ReverseProxy, 'reload'>;
    writeAuditLog: WriteAuditLog;
    clock: Clock;
  },
) {
  const { sites, rows, certificateStore, authority, clock, writeAuditLog } = deps;
  const certificateAuthority = currentAuthority(deps);

  /** The saved certificates for both names; undefined if a name has none. */
  async function kept(tenant: Tenant): Promise<StoredCertificate[] | undefined> {
    const all = await certificateStore.of(tenant.id);
    const now = clock.now();
    const chosen = [tenant.domain, tenant.apiDomain].map((name) => chooseCertificate(name, all, { now, authority }));
    return chosen.every((one) => one !== undefined) ? [...new Set(chosen)] : undefined;
  }

  /**
   * Saved certificates that are not due for renewal. A renewal uses those that were never applied, because the proxy may have
   * been unavailable when they were issued, and authorities limit the number of certificates.
   */
  async function reusable(tenant: Tenant, renew: boolean): Promise<StoredCertificate[] | undefined> {
    // The operator may have replaced the files.
    if (authority?.source === 'files') return undefined;
    const certificates = await kept(tenant);
    const fresh = certificates?.every(
      (one) => one.authority === authority?.id && renewalTime(one, () => 0) > clock.now(),
    );
    if (!fresh) return undefined;
    const site = await sites.inService(tenant.id);
    const served = site ? fingerprintsOf(site) : new Set();
    return renew && certificates?.every(({ fingerprint }) => served.has(fingerprint)) ? undefined : certificates;
  }

  async function obtain(
    tenant: Tenant,
    from: CertificateAuthority,
    work: Work,
  ): Promise<{ certificates: Certificate[]; rechained: boolean }> {
    const names = [tenant.domain, tenant.apiDomain];
    work.log(`Obtaining a certificate for ${names.join(' and ')} (${from.source})`);
    const certificates = await from.obtain(names, work);
    const at = clock.now();
    let anyRechained = false;
    for (const certificate of certificates) {
      const { rechained } = await certificateStore.keep(tenant.id, from, certificate, at);
      anyRechained ||= rechained;
    }
    return { certificates, rechained: anyRechained };
  }

  /** When to obtain the next certificate. Never at once: an authority may return an old certificate. */
  function dueAfter(certificates: readonly Pick<Certificate, 'notBefore' | 'notAfter'>[]): Date {
    const now = clock.now().getTime();
    const expiry = Math.min(...certificates.map(({ notAfter }) => notAfter.getTime()));
    if (authority?.source === 'files') return new Date(Math.min(now + filesIntervalMs, expiry));
    const renewals = certificates.map((one) => renewalTime(one, Math.random).getTime());
    return new Date(Math.max(Math.min(...renewals), Math.min(now + hourMs, expiry)));
  }

  /** The progress with the current authority; that of another one does not count. */
  async function progressOf(tenant: Tenant): Promise<CertificateProgress> {
    const known = await rows.of(tenant.id);
    return known?.certificateAuthority === certificateAuthority ? known : noCertificateYet;
  }

  /** How the site is served until there is a new certificate. */
  async function currentService(tenant: Tenant): Promise<string> {
    const site = await sites.inService(tenant.id);
    if (!site || !isSecure(site)) return 'the site is up over HTTP';
    const served = fingerprintsOf(site);
    const expired = (await certificateStore.of(tenant.id)).find(
      ({ fingerprint, notAfter }) => served.has(fingerprint) && notAfter <= clock.now(),
    );
    const since = expired ? `, which expired at ${expired.notAfter.toISOString()}` : '';
    return `the site keeps the certificate it has${since}`;
  }

  async function failed(tenant: Tenant, error: unknown, work: Work): Promise<{ skipped: string }> {
    const now = clock.now();
    const failures = (await progressOf(tenant)).certificateFailures + 1;
    const retryAt = error instanceof CertificateRefused ? error.retryAt : undefined;
    const due = nextAttempt(failures, now, retryAt, Math.random);
    const message = messageOf(error);
    await rows.certificate(tenant.id, {
      certificateAuthority,
      certificateDueAt: due,
      certificateFailures: failures,
      certificateError: message,
      certificateRetryAt: retryAt ?? null,
    });
    const summary = `no certificate could be put into service: ${message}; ${await currentService(tenant)}; the next attempt is at ${due.toISOString()}`;
    work.log(summary);
    const site = await sites.inService(tenant.id);
    await writeAuditLog({
      level: 'warning',
      category: 'system',
      topic: 'certificate',
      message: `${tenant.slug}: ${summary}`,
      tenant,
      details: { names: site ? domainsOf(site) : [], failures },
    });
    return { skipped: summary };
  }

  async function forgetOld(site: Site, keep: ReadonlySet<string> = new Set()): Promise<void> {
    const serving = fingerprintsOf(site);
    const all = await certificateStore.of(site.tenant.id);
    const takenAt = all
      .filter(({ fingerprint }) => serving.has(fingerprint))
      .map(({ createdAt }) => createdAt.getTime());
    const newest = Math.max(...takenAt, 0);
    const old = all.filter(
      ({ fingerprint, createdAt, notAfter }) =>
        !serving.has(fingerprint) &&
        !keep.has(fingerprint) &&
        (createdAt.getTime() <= newest || notAfter <= clock.now()),
    );
    if (old.length > 0) await certificateStore.remove(site.tenant.id, old);
  }

  return {
    /**
     * Serves both host names with a certificate, and obtains one if needed. If that fails, the site stays as it is; the reason is
     * returned, saved and journaled, and the next attempt is scheduled.
     * @param options.renew obtain a new certificate although the current ones are valid
     * @param options.keep fingerprints of certificates that a rollback may need
     * @throws the signal's reason; AppError proxy_unavailable
     */
    async issue(tenant: Tenant, work: Work, { renew = false, keep = new Set<string>() }: IssueOptions = {}) {
      if (deps.resolver) {
        await sites.apply(await sites.plan(tenant, { refreshTls: true, keepUpstreams: true }), work);
        await rows.certificate(tenant.id, { ...noCertificateYet, certificateAuthority });
        work.log('The proxy’s resolver obtains the certificates');
        return undefined;
      }
      if (!authority) {
        await rows.certificate(tenant.id, { ...noCertificateYet, certificateAuthority });
        return { skipped: 'no certificates are obtained (CERTIFICATES=none)' };
      }
      const reused = await reusable(tenant, renew);
      const progress = await progressOf(tenant);
      const { certificateRetryAt: retryAt, certificateDueAt: due } = progress;
      // The authority set a retry time, which deployments respect, too.
      if (!reused && retryAt && retryAt > clock.now()) {
        const until = retryAt.toISOString();
        const asked = `the certificate authority asked not to be asked before ${until}: ${progress.certificateError}`;
        if (due && due < retryAt) await rows.certificate(tenant.id, { ...progress, certificateDueAt: retryAt });
        return { skipped: `${asked}; ${await currentService(tenant)}` };
      }
      try {
        const { certificates, rechained } = reused
          ? { certificates: reused, rechained: false }
          : await obtain(tenant, authority, work);
        const site = await sites.plan(tenant, { refreshTls: true, keepUpstreams: true });
        await sites.apply(site, work);
        // The site is the same, so the proxy has not read the files again.
        if (rechained) await deps.proxy.reload();
        for (const { names, issuer, notAfter } of certificates)
          work.log(
            `Certificate for ${names.join(', ')}: ${authority.source}, by ${issuer}, until ${notAfter.toISOString()}`,
          );
        const certificateDueAt = dueAfter(certificates);
        await rows.certificate(tenant.id, { ...noCertificateYet, certificateAuthority, certificateDueAt });
        await forgetOld(site, keep);
        return undefined;
      } catch (error) {
        work.signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        return failed(tenant, error, work);
      }
    },

    /** Removes certificates older than the current ones, and expired ones. Only without a running operation, which may roll back to them. */
    forgetOld: (site: Site) => forgetOld(site),
  };
}

export type CertificateIssuer = ReturnType<typeof createCertificateIssuer>;
