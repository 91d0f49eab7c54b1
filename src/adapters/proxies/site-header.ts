import { createHash } from 'node:crypto';
import type { SiteHost, SiteOwner, SiteRole } from './proxy.ts';

/** The first lines of a site's file. */
export interface SiteHeader {
  tenant: SiteOwner;
  domains: Record<SiteRole, string>;
  /** Of everything else in the file; the site's hosts return it at `revisionPath`. */
  revision: string;
}

export const revisionPath = '/.well-known/tenantry/revision';

const mark = '# tenantry-site 1';

/** The header of a site's file. */
export function siteHeader({ tenant, domains, revision }: SiteHeader): string {
  return `${mark}
# tenant ${tenant.id}
# slug ${tenant.slug}
# frontend ${domains.frontend}
# api ${domains.api}
# revision ${revision}
# Managed by Tenantry. Manual changes are reported, and overwritten by the next repair.
`;
}

/** Parses a site's header; undefined for a file that is not ours. */
export function readSiteHeader(text: string): SiteHeader | undefined {
  const match =
    /^# tenantry-site 1\n# tenant (\S+)\n# slug (\S+)\n# frontend (\S+)\n# api (\S+)\n# revision ([0-9a-f]{32})\n/.exec(
      text,
    );
  if (!match) return undefined;
  const [, id = '', slug = '', frontend = '', api = '', revision = ''] = match;
  return { tenant: { id, slug }, domains: { frontend, api }, revision };
}

/** What the proxy must answer for a site to be as configured. */
export interface Expectation {
  tenant: Pick<SiteOwner, 'slug'>;
  hosts: readonly Pick<SiteHost, 'domain' | 'tls'>[];
  revision: string;
  /** The revision must be served, or must no longer be served. */
  served: boolean;
}

/** What a site's file promises, by its header only; undefined for a file without one. */
export function expectationOfFile(text: string | undefined): Expectation | undefined {
  const header = readSiteHeader(text ?? '');
  if (!header) return undefined;
  const { tenant, revision } = header;
  const hosts = Object.values(header.domains).map((domain) => ({ domain, tls: null }));
  return { tenant, hosts, revision, served: true };
}

/** Half of SHA-256, in hexadecimal: distinguishes revisions, and stays readable. */
export const revisionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
