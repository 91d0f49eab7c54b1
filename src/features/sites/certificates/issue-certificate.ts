import {
  type Certificate,
  type CertificateAuthority,
  CertificateRefused,
} from '../../../adapters/certificates/certificates.ts';
import { nextAttempt, renewalTime } from '../../../adapters/certificates/renewal.ts';
import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { ReverseProxy, Site } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { domainsOf, fingerprintsOf, isSecure } from '../site.ts';
import type { SiteManager, Work } from '../sync/site-manager.ts';
import { type CertificateProgress, noCertificateYet, type SiteRegistry } from '../sync/site-registry.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';
import { type CertificateOrigin, chooseCertificate, currentAuthority } from './choose-certificate.ts';

interface CertificateIssuerDeps extends CertificateOrigin {
  sites: SiteManager;
  register: SiteRegistry;
  vault: CertificateStore;
  proxy: Pick<ReverseProxy, 'reload'>;
  journal: WriteJournal;
  clock: Clock;
}

const hourMs = 3_600_000;
/** The operator's files are looked at again so often: whoever renews them tells nobody. */
const filesAgainMs = 12 * hourMs;

interface IssueOptions {
  renew?: boolean;
  keep?: ReadonlySet<string>;
}

/** Serves a tenant's site over TLS. */
export interface CertificateIssuer {
  /**
   * Sees to it that both host names have a certificate and are served with it. One that can't be had is no failure: the site
   * stays as it is, the reason is answered, kept and journaled, and the next attempt is noted.
   * @param options.renew obtain one even though those in service still count
   * @param options.keep fingerprints of certificates that may be gone back to
   * @throws the signal's reason; AppError proxy_unavailable
   */
  issue(tenant: Tenant, work: Work, options?: IssueOptions): Promise<{ skipped: string } | undefined>;
  /**
   * Forgets certificates that a site will not come back to: what is older than those in service, and what has expired. Only while
   * nothing works on the tenant, which might go back.
   */
  forgetOld(site: Site): Promise<void>;
}

export function createCertificateIssuer(deps: CertificateIssuerDeps): CertificateIssuer {
  const { sites, register, vault, authority, clock, journal } = deps;
  const certificateAuthority = currentAuthority(deps);

  /** What each name is served with by what is kept, where each has one. */
  async function kept(tenant: Tenant): Promise<StoredCertificate[] | undefined> {
    const all = await vault.of(tenant.id);
    const now = clock.now();
    const chosen = [tenant.domain, tenant.apiDomain].map((name) => chooseCertificate(name, all, { now, authority }));
    return chosen.every((one) => one !== undefined) ? [...new Set(chosen)] : undefined;
  }

  /**
   * Those kept, where nothing speaks for others yet. To renew, those that never came into service are as good as new ones: the
   * proxy may have been away when they came, and an authority counts what it gives.
   */
  async function reusable(tenant: Tenant, renew: boolean): Promise<StoredCertificate[] | undefined> {
    // The operator may have put others into place.
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
      const { rechained } = await vault.keep(tenant.id, from, certificate, at);
      anyRechained ||= rechained;
    }
    return { certificates, rechained: anyRechained };
  }

  /** When to obtain the next, if all goes well. Never at once: an authority may give what is old already. */
  function dueAfter(certificates: readonly Pick<Certificate, 'notBefore' | 'notAfter'>[]): Date {
    const now = clock.now().getTime();
    const expiry = Math.min(...certificates.map(({ notAfter }) => notAfter.getTime()));
    if (authority?.source === 'files') return new Date(Math.min(now + filesAgainMs, expiry));
    const renewals = certificates.map((one) => renewalTime(one, Math.random).getTime());
    return new Date(Math.max(Math.min(...renewals), Math.min(now + hourMs, expiry)));
  }

  /** How it stands with this authority; what another one said does not count. */
  async function progressOf(tenant: Tenant): Promise<CertificateProgress> {
    const known = await register.of(tenant.id);
    return known?.certificateAuthority === certificateAuthority ? known : noCertificateYet;
  }

  /** What visitors find as long as there is no new certificate. */
  async function meanwhile(tenant: Tenant): Promise<string> {
    const site = await sites.inService(tenant.id);
    if (!site || !isSecure(site)) return 'the site is up over HTTP';
    const served = fingerprintsOf(site);
    const expired = (await vault.of(tenant.id)).find(
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
    await register.certificate(tenant.id, {
      certificateAuthority,
      certificateDueAt: due,
      certificateFailures: failures,
      certificateError: message,
      certificateRetryAt: retryAt ?? null,
    });
    const told = `no certificate could be put into service: ${message}; ${await meanwhile(tenant)}; the next attempt is at ${due.toISOString()}`;
    work.log(told);
    const site = await sites.inService(tenant.id);
    await journal({
      level: 'warning',
      category: 'system',
      message: `${tenant.slug}: ${told}`,
      tenant,
      details: { names: site ? domainsOf(site) : [], failures },
    });
    return { skipped: told };
  }

  async function forgetOld(site: Site, keep: ReadonlySet<string> = new Set()): Promise<void> {
    const serving = fingerprintsOf(site);
    const all = await vault.of(site.tenant.id);
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
    if (old.length > 0) await vault.remove(site.tenant.id, old);
  }

  return {
    async issue(tenant, work, { renew = false, keep = new Set<string>() } = {}) {
      if (deps.resolver) {
        await sites.apply(await sites.plan(tenant, { anew: true, keepUpstreams: true }), work);
        await register.certificate(tenant.id, { ...noCertificateYet, certificateAuthority });
        work.log('The proxy obtains the certificates itself, by its resolver');
        return undefined;
      }
      if (!authority) {
        await register.certificate(tenant.id, { ...noCertificateYet, certificateAuthority });
        return { skipped: 'no certificates are obtained (CERTIFICATES=none)' };
      }
      const reused = await reusable(tenant, renew);
      const progress = await progressOf(tenant);
      const { certificateRetryAt: retryAt, certificateDueAt: due } = progress;
      // The authority asked to be left alone until then; so does a deployment in between.
      if (!reused && retryAt && retryAt > clock.now()) {
        const until = retryAt.toISOString();
        const asked = `the certificate authority asked not to be asked before ${until}: ${progress.certificateError}`;
        if (due && due < retryAt) await register.certificate(tenant.id, { ...progress, certificateDueAt: retryAt });
        return { skipped: `${asked}; ${await meanwhile(tenant)}` };
      }
      try {
        const { certificates, rechained } = reused
          ? { certificates: reused, rechained: false }
          : await obtain(tenant, authority, work);
        const site = await sites.plan(tenant, { anew: true, keepUpstreams: true });
        await sites.apply(site, work);
        // The site is the same, so the proxy has not read the files again.
        if (rechained) await deps.proxy.reload();
        for (const { names, issuer, notAfter } of certificates)
          work.log(
            `Certificate for ${names.join(', ')}: ${authority.source}, by ${issuer}, until ${notAfter.toISOString()}`,
          );
        const certificateDueAt = dueAfter(certificates);
        await register.certificate(tenant.id, { ...noCertificateYet, certificateAuthority, certificateDueAt });
        await forgetOld(site, keep);
        return undefined;
      } catch (error) {
        work.signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        return failed(tenant, error, work);
      }
    },

    forgetOld: (site) => forgetOld(site),
  };
}
