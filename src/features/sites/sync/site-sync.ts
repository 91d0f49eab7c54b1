import { z } from 'zod';
import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { ReverseProxy } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { SiteManager } from './site-manager.ts';
import { noCertificateYet, type SiteRegistry } from './site-registry.ts';
import { type ProxyState, proxyState, type SiteSteps } from './site-steps.ts';

interface SiteSyncDeps {
  engine: OperationEngine;
  proxy: Pick<ReverseProxy, 'availability'>;
  register: SiteRegistry;
  sites: Pick<SiteManager, 'isOutdated'>;
  steps: SiteSteps;
  tenants: { get(id: string): Promise<Tenant>; find(id: string): Promise<Tenant | undefined> };
  journal: WriteJournal;
  clock: Clock;
  /** How long both new names may take to answer through the proxy, in ms. */
  proofTimeoutMs: number;
}

const input = z.object({});

const firstPauseMs = 10 * 60_000;
const longestPauseMs = 6 * 3_600_000;

/** Lets sites follow their tenants, where they are outdated. Each answers whether an operation was begun. */
export interface SiteSync {
  /** At once, as somebody asks for it. */
  now(tenantId: string): Promise<boolean>;
  /**
   * Where it is time, and the proxy is there: after one that failed not before ten minutes, then twice as long each time, up
   * to six hours.
   */
  retry(tenantId: string): Promise<boolean>;
}

/**
 * Lets sites follow their tenants' host names, by an operation of its own (kind `proxy`), so that a name given up is not
 * served by its old tenant for long. One that cannot be started because something else works on the tenant is asked for
 * again by whoever looks next.
 */
export function createSiteSync(deps: SiteSyncDeps): SiteSync {
  const { engine, proxy, register, sites, steps, tenants, journal, clock } = deps;
  /** By tenant, how many failed in a row, and when the next may begin by itself (ms since 1970). */
  const failures = new Map<string, { count: number; notBefore: number }>();

  function remember(tenantId: string, succeeded: boolean): void {
    const count = (failures.get(tenantId)?.count ?? 0) + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** (count - 1), longestPauseMs);
    if (succeeded) failures.delete(tenantId);
    else failures.set(tenantId, { count, notBefore: clock.now().getTime() + pauseMs });
  }

  engine.register<z.output<typeof input>, ProxyState>({
    kind: 'proxy',
    // Short, and somebody may wait for the name that it gives up.
    immediate: true,
    steps: [
      {
        name: 'Configure proxy',
        async run(context) {
          const tenant = await tenants.get(context.subject);
          await steps.configure(tenant, context);
          return undefined;
        },
        async undo(context) {
          await steps.rollBack(await tenants.get(context.subject), context);
        },
      },
      {
        name: 'Setup SSL',
        async skip({ subject }) {
          if (!(await register.of(subject))?.sslSkipped) return undefined;
          // Nor later: what was due for the former names is not wanted for these.
          await register.certificate(subject, noCertificateYet);
          return 'the last deployment asked for skip_ssl';
        },
        run: async (context) => steps.secure(await tenants.get(context.subject), context),
      },
      {
        name: 'Health check',
        async skip(context) {
          const { status } = await tenants.get(context.subject);
          return status === 'running' ? undefined : `the tenant is ${status}`;
        },
        async run(context) {
          const tenant = await tenants.get(context.subject);
          if (tenant.deployed) await steps.prove(tenant, tenant.deployed, context, deps.proofTimeoutMs);
          return undefined;
        },
      },
    ],
    parseInput: (value) => input.parse(value),
    parseState: (value) => proxyState.parse(value),
    async settle(context, { outcome, error }) {
      const tenant = await tenants.find(context.subject);
      if (!tenant) return;
      remember(tenant.id, outcome === 'success');
      await journal({
        level: outcome === 'success' ? 'info' : 'error',
        category: 'system',
        message:
          outcome === 'success'
            ? `The proxy serves ${tenant.slug} at ${tenant.domain} and ${tenant.apiDomain}`
            : `The proxy could not be set up for ${tenant.slug}’s host names: ${error?.message ?? outcome}`,
        tenant,
        details: { deployment_id: context.operationId, outcome, error },
      });
    },
  });

  async function now(tenantId: string): Promise<boolean> {
    const [applied, tenant] = [await register.of(tenantId), await tenants.find(tenantId)];
    if (!applied || !tenant || !sites.isOutdated(applied.site, tenant) || engine.isBusy(tenantId)) return false;
    try {
      await engine.submit('proxy', tenantId, {}, {});
      return true;
    } catch (error) {
      await journal({
        level: 'warning',
        category: 'system',
        message: `The proxy of ${tenant.slug} does not follow its host names yet: ${messageOf(error)}`,
        tenant,
      });
      return false;
    }
  }

  return {
    now,
    async retry(tenantId) {
      const { notBefore = 0 } = failures.get(tenantId) ?? {};
      if (clock.now().getTime() < notBefore || !(await proxy.availability()).available) return false;
      return now(tenantId);
    },
  };
}
