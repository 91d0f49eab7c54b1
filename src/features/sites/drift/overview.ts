import type { z } from 'zod';
import { type ReverseProxy, type Site, type SiteRole, siteRoles } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { CertificateStore, StoredCertificate } from '../certificates/certificate-store.ts';
import type { ProxyConfig, proxyState, tenantProxy } from '../schema.ts';
import { pathOf, renderedIfPossible } from '../site.ts';
import type { AppliedSite, ProxyStore } from '../store.ts';
import type { ChangeNote } from '../sync/last-change.ts';
import type { SiteManager } from '../sync/site-manager.ts';
import type { ConfigState, Drift } from './drift.ts';

const day = 86_400_000;

/** A tenant's certificate in its health report. */
export interface CertificateState {
  notBefore: Date;
  notAfter: Date;
  /** Whole days, rounded down; negative once it has expired. */
  daysLeft: number;
  issuer: string;
  /** Host names of the site that their certificate is not valid for. */
  wrongNames: string[];
}

/** The state of the proxy and its sites, for the API. */
export function createOverview({
  proxy,
  rows,
  certificateStore,
  sites,
  drift,
  note,
  clock,
}: {
  proxy: ReverseProxy;
  rows: ProxyStore;
  certificateStore: CertificateStore;
  sites: SiteManager;
  drift: Drift;
  note: ChangeNote;
  clock: Clock;
}) {
  const daysLeft = (notAfter: Date): number => Math.floor((notAfter.getTime() - clock.now().getTime()) / day);

  function shown(certificate: StoredCertificate): z.output<typeof tenantProxy>['certificates'][number] {
    const { names, source, issuer, notBefore, notAfter, fingerprint } = certificate;
    const dates = { not_before: toTimestamp(notBefore), not_after: toTimestamp(notAfter) };
    return { names, source, issuer, ...dates, days_left: daysLeft(notAfter), fingerprint };
  }

  /** The certificate of a host name; null: HTTP only, or a certificate that the proxy manages itself. */
  async function servedWith({ tenantId, site }: AppliedSite, role: SiteRole): Promise<StoredCertificate | null> {
    const { tls } = site.hosts[role];
    if (tls?.kind !== 'certificate') return null;
    return (await certificateStore.of(tenantId)).find(({ fingerprint }) => fingerprint === tls.fingerprint) ?? null;
  }

  async function entry(applied: AppliedSite, type: SiteRole, path: string, state: ConfigState): Promise<ProxyConfig> {
    const certificate = await servedWith(applied, type);
    return {
      domain: applied.site.hosts[type].domain,
      path,
      type,
      tenant_id: applied.tenantId,
      enabled: state !== 'missing',
      state,
      applied_at: toTimestamp(applied.appliedAt),
      certificate: certificate && {
        issuer: certificate.issuer,
        not_after: toTimestamp(certificate.notAfter),
        days_left: daysLeft(certificate.notAfter),
      },
      certificate_error: applied.certificateError,
    };
  }

  return {
    /** The proxy's state and the result of the last check of all sites. */
    async state(): Promise<z.output<typeof proxyState>> {
      const none = proxy.kind === 'none';
      const answer = none ? undefined : await proxy.availability();
      const last = note.last();
      return {
        kind: proxy.kind,
        available: answer?.available ?? false,
        detail: answer ? (answer.available ? answer.version : answer.reason) : '',
        warnings: (answer?.available && answer.warnings) || [],
        sites: Object.fromEntries(drift.counts()),
        last_change: last
          ? {
              at: toTimestamp(last.at),
              tenant_id: last.tenant.id,
              slug: last.tenant.slug,
              outcome: last.outcome,
              output: last.output,
            }
          : null,
      };
    },

    /** Two entries per site; orphans follow after the last site. */
    async configs(tenantId: string | undefined, { limit, offset }: Paging): Promise<Page<ProxyConfig>> {
      // A page may start and end in the middle of a site's two entries.
      const first = Math.floor(offset / 2);
      const last = Math.ceil((offset + limit) / 2);
      const all = (await rows.all())
        .filter((applied) => tenantId === undefined || applied.tenantId === tenantId)
        .sort((a, b) => compared(a.site, b.site));
      const known = await Promise.all(
        all.slice(first, last).map(async (applied): Promise<ProxyConfig[]> => {
          const state = await drift.stateOf(applied);
          const path = pathOf(proxy, applied.site);
          return Promise.all(siteRoles.map((type) => entry(applied, type, path, state)));
        }),
      );
      const orphans = (await drift.orphans()).filter(({ tenant }) => tenantId === undefined || tenant.id === tenantId);
      const left = orphans.flatMap(({ tenant, path, domains }) =>
        siteRoles.map(
          (type): ProxyConfig => ({
            domain: domains[type],
            path,
            type,
            tenant_id: tenant.id,
            enabled: true,
            state: 'orphan',
            applied_at: null,
            certificate: null,
            certificate_error: null,
          }),
        ),
      );
      const sitesTotal = all.length * 2;
      const own = known.flat().slice(offset - first * 2, offset - first * 2 + limit);
      const rest = left.slice(Math.max(0, offset - sitesTotal), Math.max(0, offset + limit - sitesTotal));
      return { items: [...own, ...rest], total: sitesTotal + left.length };
    },

    async ofTenant(tenant: Tenant): Promise<z.output<typeof tenantProxy>> {
      const applied = await rows.of(tenant.id);
      // The plan needs the runtime for the upstreams, which may be unavailable.
      const planned = async () =>
        tenant.deployed && proxy.kind !== 'none' ? await sites.plan(tenant).catch(() => undefined) : undefined;
      const site = applied?.site ?? (await planned());
      const rendered = site && renderedIfPossible(proxy, site);
      return {
        tenant_id: tenant.id,
        kind: proxy.kind,
        state: applied ? await drift.stateOf(applied) : 'none',
        path: rendered?.path ?? null,
        configuration: rendered?.text ?? null,
        applied_at: toTimestampOrNull(applied?.appliedAt ?? null),
        certificates: (await certificateStore.of(tenant.id)).map(shown),
        certificate_error: applied?.certificateError ?? null,
        next_attempt_at: toTimestampOrNull(applied?.certificateDueAt ?? null),
      };
    },

    /** The served certificate that expires first; null if there is none. */
    async certificateOf(applied: AppliedSite): Promise<CertificateState | null> {
      const serving = await Promise.all(siteRoles.map((role) => servedWith(applied, role)));
      const [soonest] = serving
        .filter((one) => one !== null)
        .sort((a, b) => a.notAfter.getTime() - b.notAfter.getTime());
      if (!soonest) return null;
      const wrongNames = siteRoles.flatMap((role, at) => {
        const { domain } = applied.site.hosts[role];
        const certificate = serving[at];
        return certificate && !certificate.names.some((name) => covers(name, domain)) ? [domain] : [];
      });
      const { notBefore, notAfter, issuer } = soonest;
      return { notBefore, notAfter, daysLeft: daysLeft(notAfter), issuer, wrongNames };
    },
  };
}

/** Whether a certificate's name, possibly `*.example.org`, is valid for a host name. */
const covers = (name: string, domain: string): boolean =>
  name.toLowerCase() === domain || (name.startsWith('*.') && domain.slice(domain.indexOf('.')) === name.slice(1));

/** By host name. */
function compared({ hosts: { frontend: a } }: Site, { hosts: { frontend: b } }: Site): number {
  return a.domain < b.domain ? -1 : Number(a.domain > b.domain);
}

export type Overview = ReturnType<typeof createOverview>;
