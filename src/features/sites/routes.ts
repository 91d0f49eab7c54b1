import { z } from 'zod';
import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { ReverseProxy } from '../../adapters/proxies/proxy.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, messageOf } from '../../lib/errors.ts';
import { queryBoolean, timestamp, toTimestamp } from '../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../lib/http/routing/paging.ts';
import { may } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Principal, type Route } from '../../lib/http/routing/route.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { Drift } from './drift/drift.ts';
import type { Overview } from './drift/overview.ts';
import { proxyConfig, proxyState, tenantProxy } from './schema.ts';

const tag = 'Reverse proxy';
const repairTimeoutMs = 120_000;
/** Paths on the machine of the proxy, and texts that hold them, are hidden from viewers. */
const seesPaths = ({ role }: Principal): boolean => may(role, 'operate');

/** Routes that control the reverse proxy. */
export function proxyRoutes({
  proxy,
  drift,
  overview,
  tenants,
  clock,
  writeAuditLog,
}: {
  proxy: ReverseProxy;
  drift: Drift;
  overview: Overview;
  tenants: Pick<Tenants, 'get'>;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
}): Route[] {
  async function repair(): Promise<{ repaired: string[]; left: string }> {
    const { repaired, failed } = await drift.repair(AbortSignal.timeout(repairTimeoutMs));
    return { repaired, left: failed.map(({ slug, reason }) => `${slug}: ${reason}`).join('\n') };
  }

  /** Repaired files are already in service; the reload also applies other manual changes. */
  async function reload(repairFirst: boolean): Promise<string[] | undefined> {
    const result = repairFirst ? await repair() : undefined;
    if (result && result.left !== '') throw new AppError('invalid_state', `Not all could be repaired:\n${result.left}`);
    try {
      await proxy.reload();
    } catch (error) {
      // The proxy's own message: it rejects a manual change.
      throw error instanceof AppError ? error : new AppError('invalid_state', messageOf(error));
    }
    return result?.repaired;
  }

  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/proxy',
        tag,
        summary: 'The reverse proxy: whether it can be used, its sites by state, the last change',
        access: 'view',
        responses: { 200: { schema: proxyState } },
      },
      async ({ principal }) => {
        const state = await overview.state();
        if (seesPaths(principal) || !state.last_change) return state;
        return { ...state, last_change: { ...state.last_change, output: null } };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/proxy/reload',
        tag,
        summary: 'Reload the reverse proxy',
        description:
          'Its configuration is tested first; one that does not pass is not loaded: 409 `invalid_state` in the proxy’s own words. With `repair=true` sites that are `missing` or `edited` are put into service again as they were.',
        access: 'administer',
        query: z.object({ repair: queryBoolean(false) }),
        responses: {
          200: {
            schema: z.object({
              message: z.string(),
              timestamp,
              repaired: z.array(z.string()).optional().meta({ description: 'Slugs; with `repair=true` alone' }),
            }),
          },
        },
        errors: ['proxy_unavailable', 'invalid_state'],
      },
      async ({ principal, query }) => {
        const repaired = await reload(query.repair);
        await writeAuditLog({
          level: 'info',
          category: 'audit',
          topic: 'proxy',
          message: `${principal.username} reloaded the proxy${repaired ? ` and repaired ${repaired.length} sites` : ''}`,
          details: { user_id: principal.userId, username: principal.username, ...(repaired ? { repaired } : {}) },
        });
        const message = repaired?.length
          ? `The proxy has been reloaded; repaired: ${repaired.join(', ')}`
          : 'The proxy has been reloaded';
        return { message, timestamp: toTimestamp(clock.now()), ...(repaired ? { repaired } : {}) };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/proxy/test',
        tag,
        summary: 'Test the reverse proxy’s configuration',
        access: 'operate',
        responses: { 200: { schema: z.object({ valid: z.boolean(), output: z.string() }) } },
        errors: ['proxy_unavailable'],
      },
      () => proxy.test(),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/proxy/configs',
        tag,
        summary: 'Tenants’ configurations at the reverse proxy',
        access: 'view',
        query: pagingQuery().extend({ tenant_id: z.uuid().optional() }),
        responses: { 200: { schema: listOf('configs', proxyConfig) } },
      },
      async ({ query: { tenant_id: tenantId, ...paging }, principal }) => {
        const { items, total } = await overview.configs(tenantId, paging);
        const configs = seesPaths(principal) ? items : items.map((item) => ({ ...item, path: null }));
        return { configs, total, ...paging };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/proxy',
        tag,
        summary: 'A tenant’s configuration at the reverse proxy, and its certificates',
        access: 'view',
        responses: { 200: { schema: tenantProxy } },
        errors: ['not_found'],
      },
      async ({ params, principal }) => {
        const site = await overview.ofTenant(await tenants.get(params.id));
        return seesPaths(principal) ? site : { ...site, path: null, configuration: null };
      },
    ),
  ];
}
