import { messageOf } from '../../../lib/errors.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenants.ts';
import type { CertificateCheck, PageCheck } from '../schema.ts';

interface ProbeOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** A tenant's host names as seen from outside. */
export interface SiteChecks {
  /** Both through the reverse proxy, the worse answer of the two; undefined where the tenant has no site there. */
  probe(tenant: Tenant, release: LiveRelease, options: ProbeOptions): Promise<PageCheck | undefined>;
  /** Of the certificates in service, the one that is first to expire; null where there is none. */
  certificateOf(tenantId: string): Promise<{
    notBefore: Date;
    notAfter: Date;
    daysLeft: number;
    issuer: string;
  } | null>;
}

/** Renewal begins at two thirds of a certificate’s life: with less than a sixth of it left, it has failed for long. */
const lastShare = 1 / 6;

/** Throws the signal's reason alone. */
export async function proxyCheck(
  tenant: Tenant,
  release: LiveRelease,
  site: SiteChecks,
  options: ProbeOptions,
): Promise<PageCheck | undefined> {
  try {
    return await site.probe(tenant, release, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return { status: 'down', response_time_ms: null, status_code: null, error: messageOf(error) };
  }
}

/** Never throws: where the certificate can't be looked up, nothing is said of it. */
export async function certificateCheck(tenant: Tenant, site: SiteChecks, now: Date): Promise<CertificateCheck | null> {
  const found = await site.certificateOf(tenant.id).catch(() => null);
  if (!found) return null;
  const { notBefore, notAfter, daysLeft, issuer } = found;
  const check = { not_after: notAfter.toISOString(), days_left: daysLeft, issuer };
  const left = notAfter.getTime() - now.getTime();
  if (left <= 0) return { ...check, error: 'it has expired' };
  if (left >= (notAfter.getTime() - notBefore.getTime()) * lastShare) return check;
  return { ...check, error: `it expires at ${check.not_after}, and no other has been obtained` };
}
