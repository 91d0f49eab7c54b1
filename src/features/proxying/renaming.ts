import { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import type { OperationEngine } from '../../kernel/operations/engine.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { SiteRegister } from './register.ts';
import { servesNamesOf } from './site.ts';
import { type ProxyState, proxyState, type SiteSteps } from './step-bodies.ts';

interface RenamingDeps {
  engine: OperationEngine;
  register: SiteRegister;
  steps: SiteSteps;
  tenants: { get(id: string): Promise<Tenant>; find(id: string): Promise<Tenant | undefined> };
  journal: WriteJournal;
  /** How long both new names may take to answer through the proxy, in ms. */
  proofTimeoutMs: number;
}

const input = z.object({});

/**
 * Lets sites follow their tenants' host names, by an operation of its own (kind `proxy`), so that a name given up is not
 * served by its old tenant for long. One that cannot be started because something else works on the tenant is asked for
 * again by whoever looks next.
 * @returns looks at one tenant; answers whether an operation was begun
 */
export function createRenaming(deps: RenamingDeps): (tenantId: string) => Promise<boolean> {
  const { engine, register, steps, tenants, journal } = deps;

  engine.register<z.output<typeof input>, ProxyState>({
    kind: 'proxy',
    steps: [
      {
        name: 'Configure proxy',
        async run(context) {
          const tenant = await tenants.get(context.subject);
          await steps.configure(tenant, context);
          return undefined;
        },
        async undo(context) {
          await steps.putBack(await tenants.get(context.subject), context);
        },
      },
      {
        name: 'Setup SSL',
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

  return async (tenantId) => {
    const [applied, tenant] = [await register.of(tenantId), await tenants.find(tenantId)];
    if (!applied || !tenant || servesNamesOf(applied.site, tenant) || engine.isBusy(tenantId)) return false;
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
  };
}
