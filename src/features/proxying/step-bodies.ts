import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { siteRecord } from '../../platform/proxy/site-record.ts';
import type { LiveRelease, Tenant } from '../tenants/tenant.ts';
import type { Secure } from './secure.ts';
import type { Sites, Work } from './sites.ts';

/** What a step that configures the proxy keeps in its operation's state: the site before it, null where there was none. */
export const proxyState = z.object({ siteBefore: siteRecord.nullable().optional() });
export type ProxyState = z.output<typeof proxyState>;

interface Context extends Work {
  readonly state: Readonly<ProxyState>;
  save(patch: ProxyState): Promise<void>;
}

/** The steps `Configure proxy` and `Setup SSL`, for every operation that has them, and what follows from changes outside of one. */
export interface SiteSteps {
  configure(tenant: Tenant, context: Context): Promise<void>;
  /** The undo of both steps. */
  putBack(tenant: Tenant, context: Context): Promise<void>;
  secure(tenant: Tenant, context: Work): Promise<{ skipped: string } | undefined>;
  /** @see Sites.prove */
  prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  /** Lets a site that is in service follow its tenant (ports after a restart) and proves it, or puts the old one back. */
  follow(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
}

export function createSiteSteps({ sites, secure }: { sites: Sites; secure: Secure }): SiteSteps {
  return {
    async configure(tenant, context) {
      // Run again after a crash, what was there first is what to go back to.
      if (context.state.siteBefore === undefined) await context.save({ siteBefore: await sites.inService(tenant.id) });
      const site = await sites.plan(tenant);
      const { changed } = await sites.apply(site, context);
      const names = `${site.hosts.frontend.domain} and ${site.hosts.api.domain}`;
      context.log(changed ? `${names} are served` : `${names} were served like this already`);
    },

    async putBack(tenant, context) {
      if (context.state.siteBefore !== undefined) await sites.putBack(tenant, context.state.siteBefore, context);
    },

    secure: (tenant, context) => secure.secure(tenant, context),
    prove: sites.prove,

    async follow(tenant, release, work, timeoutMs) {
      const before = await sites.inService(tenant.id);
      if (!before) return;
      const site = await sites.plan(tenant);
      if (isDeepStrictEqual(site, before)) return;
      await sites.apply(site, work);
      try {
        await sites.prove(tenant, release, work, timeoutMs);
      } catch (error) {
        await sites.putBack(tenant, before, { log: work.log, signal: new AbortController().signal });
        throw error;
      }
    },
  };
}
