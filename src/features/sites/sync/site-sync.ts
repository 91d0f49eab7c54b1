import { z } from 'zod';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { ReverseProxy } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { every } from '../../../lib/concurrency/poll.ts';
import { delayAfter } from '../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import { noCertificateYet, type ProxyStore } from '../store.ts';
import type { SiteManager } from './site-manager.ts';
import { type ProxyState, proxyState, type SiteSteps } from './site-steps.ts';

const input = z.object({});

const firstDelayMs = 10 * 60_000;
const maxDelayMs = 6 * 3_600_000;
const moveRetryMs = 5_000;

/**
 * Syncs sites with their tenants' host names in an operation of kind `proxy`, so that a former name is soon free. If the tenant
 * is busy, the next drift check tries again.
 */
export function createSiteSync(deps: {
  engine: OperationEngine;
  proxy: Pick<ReverseProxy, 'availability'>;
  rows: ProxyStore;
  sites: Pick<SiteManager, 'isOutdated'>;
  steps: SiteSteps;
  tenants: Pick<Tenants, 'get' | 'find'>;
  writeAuditLog: WriteAuditLog;
  clock: Clock;
  logger: Logger;
  /** Aborted when the manager stops. */
  closing: AbortSignal;
  /** How long both new names may take to answer through the proxy, in ms. */
  proofTimeoutMs: number;
}) {
  const { engine, proxy, rows, sites, steps, tenants, writeAuditLog, clock, logger } = deps;
  /** By tenant: failures in a row, and the time of the next automatic retry (ms since 1970). */
  const failures = new Map<string, { count: number; notBefore: number }>();

  function remember(tenantId: string, succeeded: boolean): void {
    const count = (failures.get(tenantId)?.count ?? 0) + 1;
    const delayMs = delayAfter(count, firstDelayMs, maxDelayMs);
    if (succeeded) failures.delete(tenantId);
    else failures.set(tenantId, { count, notBefore: clock.now().getTime() + delayMs });
  }

  engine.register<z.output<typeof input>, ProxyState>({
    kind: 'proxy',
    // Short, and another tenant may wait for the former name.
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
          if (!(await rows.of(subject))?.sslSkipped) return undefined;
          // A certificate that was due for the former names is not needed for the new ones.
          await rows.certificate(subject, noCertificateYet);
          return 'skip_ssl was set in the last deployment';
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
      await writeAuditLog({
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
    const [applied, tenant] = [await rows.of(tenantId), await tenants.find(tenantId)];
    if (!applied || !tenant || !sites.isOutdated(applied.site, tenant) || engine.isBusy(tenantId)) return false;
    try {
      await engine.submit('proxy', tenantId, {}, {});
      return true;
    } catch (error) {
      await writeAuditLog({
        level: 'warning',
        category: 'system',
        topic: 'proxy',
        message: `The proxy of ${tenant.slug} does not serve its new host names yet: ${messageOf(error)}`,
        tenant,
      });
      return false;
    }
  }

  /** Tenants whose sites are following; `again`: another move came in the meantime. */
  const following = new Map<string, { again: boolean }>();

  async function follow(tenantId: string): Promise<void> {
    for await (const _ of every(moveRetryMs, deps.closing)) {
      if (engine.isBusy(tenantId)) continue;
      try {
        const [applied, tenant] = [await rows.of(tenantId), await tenants.find(tenantId)];
        // An outdated site gets its addresses together with its new host names and their certificates.
        if (!applied || !tenant || sites.isOutdated(applied.site, tenant)) return;
        await engine.inBackground(tenantId, 'proxy', async () => {
          const { changed } = await steps.align(tenant, { log: () => undefined, signal: deps.closing });
          if (changed) logger.info({ tenant: tenant.slug }, 'its site follows a unit to another node');
        });
        return;
      } catch (error) {
        logger.warn({ tenant: tenantId, reason: messageOf(error) }, 'its site could not follow a unit; retrying');
      }
    }
  }

  return {
    now,
    /** Applies a site again after a unit moved to another node, as soon as no operation of the tenant runs. */
    async follow(tenantId: string): Promise<void> {
      const other = following.get(tenantId);
      if (other) {
        other.again = true;
        return;
      }
      const mine = { again: true };
      following.set(tenantId, mine);
      while (mine.again) {
        mine.again = false;
        await follow(tenantId);
      }
      following.delete(tenantId);
    },
    /** Syncs if the proxy is available and the retry delay is over: ten minutes after a failure, doubled up to six hours. */
    async retry(tenantId: string) {
      const { notBefore = 0 } = failures.get(tenantId) ?? {};
      if (clock.now().getTime() < notBefore || !(await proxy.availability()).available) return false;
      return now(tenantId);
    },
  };
}

export type SiteSync = ReturnType<typeof createSiteSync>;
