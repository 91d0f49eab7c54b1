import type { z } from 'zod';
import { invalid } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../lib/http/routing/paging.ts';
import { defineRoute, type Principal, type Route } from '../../lib/http/routing/route.ts';
import type { LiveRelease, Tenant } from '../tenants/tenants.ts';
import type { ConfigFields, TenantConfig } from './config-fields.ts';
import { hideSecrets, hideValues } from './custom-env.ts';
import {
  configChanges,
  configHistory,
  configPlan,
  configQuery,
  configReversal,
  regeneratedEnv,
  tenantConfig,
} from './schema.ts';
import type { TenantConfigDeps, TenantConfigs } from './service.ts';

/** @param environmentOf the environment of a tenant's units for a release; null: before the first one */
export function configRoutes(
  configs: TenantConfigs,
  { tenants, writeAuditLog }: Pick<TenantConfigDeps, 'tenants' | 'writeAuditLog'>,
  environmentOf: (tenant: Tenant, release: LiveRelease | null) => Promise<Record<string, string>>,
): Route[] {
  /** The fields that were sent and the revision they are based on. */
  async function changesIn(
    tenantId: string,
    { id, tenant_id, revision, ...changes }: z.output<typeof configChanges>,
  ): Promise<[changes: Partial<ConfigFields>, revision: number | undefined]> {
    const current = await configs.get(tenantId);
    if (id !== undefined && id !== current.id) throw invalid('id', 'cannot be changed');
    if (tenant_id !== undefined && tenant_id !== current.tenant_id) throw invalid('tenant_id', 'cannot be changed');
    return [Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)), revision];
  }

  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/config',
        tag: 'Configuration',
        summary: "Get a tenant's configuration",
        access: 'view',
        query: configQuery,
        responses: { 200: { schema: tenantConfig } },
        errors: ['not_found'],
      },
      async ({ params, query, principal }) => shown(await configs.get(params.id), query, principal),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/config',
        tag: 'Configuration',
        summary: "Change a tenant's configuration",
        description:
          'Send any of the fields; `custom_env` is replaced completely. If you send the `revision` that you read, the change is rejected when the configuration has changed since. A secret sent back as ***hidden*** is kept. The services get the change at their next start, restart or deployment.',
        access: 'operate',
        query: configQuery,
        body: configChanges,
        responses: { 200: { schema: tenantConfig } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, query, body, principal }) => {
        const [changes, revision] = await changesIn(params.id, body);
        return shown(await configs.update(params.id, changes, principal, revision), query, principal);
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/config/plan',
        tag: 'Configuration',
        summary: "Preview a change of a tenant's configuration",
        description: 'Takes the same body as `PUT config` and changes nothing.',
        access: 'operate',
        body: configChanges,
        responses: { 200: { schema: configPlan } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, body }) => ({ changes: await configs.plan(params.id, ...(await changesIn(params.id, body))) }),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/config/history',
        tag: 'Configuration',
        summary: "The last changes of a tenant's configuration, newest first",
        description: 'The last 100 revisions are kept.',
        access: 'operate',
        query: pagingQuery(),
        responses: { 200: { schema: configHistory } },
        errors: ['not_found'],
      },
      async ({ params, query }) => {
        const { items, total } = await configs.history(params.id, query);
        const revisions = items.map(({ createdAt, ...rest }) => ({ ...rest, created_at: toTimestamp(createdAt) }));
        return { revisions, total, ...query };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/config/revert',
        tag: 'Configuration',
        summary: "Return a tenant's configuration to an earlier revision",
        description: 'A change like any other: it makes a new revision, and the services get it at their next start.',
        access: 'operate',
        query: configQuery,
        body: configReversal,
        responses: { 200: { schema: tenantConfig } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, query, body: { to, revision }, principal }) =>
        shown(await configs.revert(params.id, to, principal, revision), query, principal),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/config/regenerate-env',
        tag: 'Configuration',
        summary: "Regenerate a tenant's environment file",
        description:
          'Keeps the previous file as a backup; `backup` is null if there was none. Does not restart the services.',
        access: 'operate',
        responses: { 200: { schema: regeneratedEnv } },
        errors: ['not_found', 'insufficient_storage'],
      },
      async ({ params, principal }) => {
        const tenant = await tenants.get(params.id);
        const environment = await environmentOf(tenant, tenant.deployed);
        const { path, backup, omitted } = await configs.writeEnvFile(tenant, environment);
        await writeAuditLog({
          level: 'info',
          category: 'audit',
          topic: 'configuration',
          message: `Environment file of ${tenant.slug} regenerated by ${principal.username}`,
          tenant: { id: tenant.id, slug: tenant.slug },
          details: { user_id: principal.userId, username: principal.username, path, backup },
        });
        const exceptions =
          omitted.length > 0 ? `, without ${omitted.join(', ')}: the format cannot represent the value` : '';
        return { message: `Environment file written${exceptions}`, path, backup };
      },
    ),
  ];
}

/** The configuration with the values hidden that the caller may not see or asked to hide. */
function shown(config: TenantConfig, { hide_secrets: hide }: { hide_secrets: boolean }, { role }: Principal) {
  const { custom_env: entries } = config;
  if (role === 'viewer') return { ...config, custom_env: hideValues(entries) };
  return hide ? { ...config, custom_env: hideSecrets(entries) } : config;
}
