import { messageOf } from '../../../lib/errors.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenants.ts';
import type { CertificateCheck, PageCheck } from '../schema.ts';

export interface CheckOptions {
  /** Timeout of each check; they run concurrently. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Checks a tenant's host names from outside. */
export interface SiteChecks {
  /** The worse result of both host names through the reverse proxy; undefined if the tenant has no site. */
  probe(tenant: Tenant, release: LiveRelease, options: CheckOptions): Promise<PageCheck | undefined>;
  /** The active certificate that expires first; null if there is none. */
  certificateOf(tenantId: string): Promise<{
    notBefore: Date;
    notAfter: Date;
    daysLeft: number;
    issuer: string;
  } | null>;
}

/** Renewal starts after two thirds of a certificate's lifetime: with less than a sixth left, it has failed for long. */
const warningShare = 1 / 6;

/** Throws only the signal's reason. */
export async function proxyCheck(
  tenant: Tenant,
  release: LiveRelease,
  site: SiteChecks,
  options: CheckOptions,
): Promise<PageCheck | undefined> {
  try {
    return await site.probe(tenant, release, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    return { status: 'down', response_time_ms: null, status_code: null, error: messageOf(error) };
  }
}

/** Never throws; null if the certificate can't be read. */
export async function certificateCheck(tenant: Tenant, site: SiteChecks, now: Date): Promise<CertificateCheck | null> {
  const found = await site.certificateOf(tenant.id).catch(() => null);
  if (!found) return null;
  const { notBefore, notAfter, daysLeft, issuer } = found;
  const check = { not_after: notAfter.toISOString(), days_left: daysLeft, issuer };
  const left = notAfter.getTime() - now.getTime();
  if (left <= 0) return { ...check, error: 'it has expired' };
  if (left >= (notAfter.getTime() - notBefore.getTime()) * warningShare) return check;
  return { ...check, error: `it expires at ${check.not_after} and has not been renewed` };
}
