import type { Clock } from '../../kernel/clock.ts';
import { AppError, messageOf } from '../../kernel/errors.ts';
import {
  type Certificate,
  type CertificateAuthority,
  CertificateRefused,
} from '../../platform/certificates/certificates.ts';
import { nextAttempt, renewalTime } from '../../platform/certificates/renewal.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { chooseCertificate } from './choose-certificate.ts';
import type { SiteRegister } from './register.ts';
import { domainsOf, isSecure } from './site.ts';
import type { Sites, Work } from './sites.ts';
import type { CertificateVault, KeptCertificate } from './vault.ts';

export interface SecureDeps {
  sites: Sites;
  register: SiteRegister;
  vault: CertificateVault;
  /** undefined: none are obtained here. */
  authority: CertificateAuthority | undefined;
  /** The proxy obtains certificates by itself. */
  resolver: boolean;
  journal: WriteJournal;
  clock: Clock;
}

/** The operator's files are looked at again so often: whoever renews them tells nobody. */
const filesAgainMs = 12 * 3_600_000;

interface SecureOptions {
  renew?: boolean;
  keep?: ReadonlySet<string>;
}

/** Serves a tenant's site over TLS. */
export interface Secure {
  /**
   * Sees to it that both host names have a certificate and are served with it. One that can't be had is no failure: the site
   * stays as it is, the reason is answered, kept and journaled, and the next attempt is noted.
   * @param options.renew obtain one even though those kept still count
   * @param options.keep fingerprints of certificates that may be gone back to
   * @throws the signal's reason; AppError proxy_unavailable
   */
  secure(tenant: Tenant, work: Work, options?: SecureOptions): Promise<{ skipped: string } | undefined>;
  /** Revokes what the authority gave, as far as it lets itself be asked; what fails is journaled. */
  revokeAll(tenant: Tenant, work: Work): Promise<void>;
}

export function createSecure(deps: SecureDeps): Secure {
  const { sites, register, vault, authority, clock, journal } = deps;

  /** What serves each name now, where each has one. */
  async function kept(tenant: Tenant): Promise<KeptCertificate[] | undefined> {
    const all = await vault.of(tenant.id);
    const circumstances = { now: clock.now(), source: authority?.source };
    const chosen = [tenant.domain, tenant.apiDomain].map((name) => chooseCertificate(name, all, circumstances));
    return chosen.every((one) => one !== undefined) ? chosen : undefined;
  }

  /** Those kept, where nothing speaks for others yet. */
  async function reusable(tenant: Tenant): Promise<KeptCertificate[] | undefined> {
    const certificates = await kept(tenant);
    const fresh = certificates?.every(
      (one) => one.source === authority?.source && renewalTime(one, () => 0) > clock.now(),
    );
    // The operator may have put others into place.
    return fresh && authority?.source !== 'files' ? certificates : undefined;
  }

  async function obtain(tenant: Tenant, from: CertificateAuthority, work: Work): Promise<Certificate[]> {
    const names = [tenant.domain, tenant.apiDomain];
    work.log(`Obtaining a certificate for ${names.join(' and ')} (${from.source})`);
    const obtained = await from.obtain(names, work);
    for (const certificate of obtained) await vault.keep(tenant.id, from.source, certificate, clock.now());
    return obtained;
  }

  /** When to obtain the next, if all goes well. */
  function dueAfter(certificates: readonly Pick<Certificate, 'notBefore' | 'notAfter'>[], source: string): Date {
    const renewals = certificates.map((one) => renewalTime(one, Math.random).getTime());
    const look = source === 'files' ? clock.now().getTime() + filesAgainMs : Number.POSITIVE_INFINITY;
    return new Date(Math.min(look, ...renewals));
  }

  async function failed(tenant: Tenant, error: unknown, work: Work): Promise<{ skipped: string }> {
    const now = clock.now();
    const before = await register.of(tenant.id);
    const failures = (before?.certificateFailures ?? 0) + 1;
    const retryAt = error instanceof CertificateRefused ? error.retryAt : undefined;
    const due = nextAttempt(failures, now, retryAt, Math.random);
    const message = messageOf(error);
    await register.certificate(tenant.id, {
      certificateDueAt: due,
      certificateFailures: failures,
      certificateError: message,
      certificateRetryAt: retryAt ?? null,
    });
    const site = await sites.inService(tenant.id);
    const meanwhile = site && isSecure(site) ? 'the site keeps the certificate it has' : 'the site is up over HTTP';
    const told = `no certificate could be put into service: ${message}; ${meanwhile}; the next attempt is at ${due.toISOString()}`;
    work.log(told);
    await journal({
      level: 'warning',
      category: 'system',
      message: `${tenant.slug}: ${told}`,
      tenant,
      details: { names: site ? domainsOf(site) : [], failures },
    });
    return { skipped: told };
  }

  return {
    async secure(tenant, work, { renew = false, keep = new Set<string>() } = {}) {
      if (deps.resolver) {
        await sites.apply(await sites.plan(tenant, { resolver: true }), work);
        work.log('The proxy obtains the certificates itself, by its resolver');
        return undefined;
      }
      if (!authority) return { skipped: 'no certificates are obtained (CERTIFICATES=none)' };
      const before = await register.of(tenant.id);
      // The authority asked to be left alone until then; so does a deployment in between.
      if (before?.certificateRetryAt && before.certificateRetryAt > clock.now() && !(await kept(tenant))) {
        const until = before.certificateRetryAt.toISOString();
        return {
          skipped: `the certificate authority asked not to be asked before ${until}: ${before.certificateError}`,
        };
      }
      try {
        const certificates = (renew ? undefined : await reusable(tenant)) ?? (await obtain(tenant, authority, work));
        await sites.apply(await sites.plan(tenant), work);
        for (const { names, issuer, notAfter } of certificates)
          work.log(
            `Certificate for ${names.join(', ')}: ${authority.source}, by ${issuer}, until ${notAfter.toISOString()}`,
          );
        await register.certificate(tenant.id, {
          certificateDueAt: dueAfter(certificates, authority.source),
          certificateFailures: 0,
          certificateError: null,
          certificateRetryAt: null,
        });
        await forgetOld(tenant, keep);
        return undefined;
      } catch (error) {
        work.signal.throwIfAborted();
        if (error instanceof AppError) throw error;
        return failed(tenant, error, work);
      }
    },

    async revokeAll(tenant, work) {
      if (!authority) return;
      for (const one of await vault.of(tenant.id)) {
        if (one.source !== authority.source || one.notAfter <= clock.now()) continue;
        try {
          const certificate = await vault.open(tenant.id, one.fingerprint);
          if (certificate) await authority.revoke(certificate, work);
          // Where the deletion does not come to its end, another one must be obtained.
          await vault.remove(tenant.id, [one]);
        } catch (error) {
          work.signal.throwIfAborted();
          const message = `The certificate of ${tenant.slug} could not be revoked: ${messageOf(error)}`;
          work.log(message);
          await journal({ level: 'warning', category: 'system', message, tenant });
        }
      }
    },
  };

  /** Certificates that neither serve nor count any more. */
  async function forgetOld(tenant: Tenant, keep: ReadonlySet<string>): Promise<void> {
    const serving = new Set((await kept(tenant))?.map(({ fingerprint }) => fingerprint));
    const unneeded = (fingerprint: string): boolean => !serving.has(fingerprint) && !keep.has(fingerprint);
    const old = (await vault.of(tenant.id)).filter(({ fingerprint }) => unneeded(fingerprint));
    if (old.length > 0) await vault.remove(tenant.id, old);
  }
}
