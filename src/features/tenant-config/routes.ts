import type { z } from 'zod';
import type { WriteJournal } from '../../adapters/events/journal-entry.ts';
import { invalid } from '../../lib/errors.ts';
import { defineRoute, type Principal, type Route } from '../../lib/http/routing/route.ts';
import type { Tenant, TenantService } from '../tenants/tenants.ts';
import type { ConfigFields, TenantConfig } from './config-fields.ts';
import { hideSecrets, hideValues } from './custom-env.ts';
import { configChanges, configPlan, configQuery, regeneratedEnv, tenantConfig } from './schema.ts';
import type { EnvironmentFacts, TenantConfigService } from './service.ts';

interface ConfigRoutesDeps {
  configs: TenantConfigService;
  tenants: Pick<TenantService, 'get'>;
  journal: WriteJournal;
  environmentFacts(tenant: Tenant): Promise<EnvironmentFacts>;
}

export function configRoutes({ configs, tenants, journal, environmentFacts }: ConfigRoutesDeps): Route[] {
  /** Only the fields that were sent, and the revision that they were made from. */
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
        summary: "A tenant's configuration",
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
          'Any of the fields; `custom_env` is replaced as a whole. With the `revision` that was read, a change is refused if somebody else changed the configuration since. A secret that is sent back as ***hidden*** is kept. The services get it at their next start, restart or deployment.',
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
        summary: "What a change of a tenant's configuration would change",
        description: 'Takes what `PUT config` takes, and changes nothing.',
        access: 'operate',
        body: configChanges,
        responses: { 200: { schema: configPlan } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params, body }) => ({ changes: await configs.plan(params.id, ...(await changesIn(params.id, body))) }),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/config/regenerate-env',
        tag: 'Configuration',
        summary: "Write a tenant's environment file anew",
        description:
          'The previous file is kept beside it; `backup` is null where there was none. The services are not restarted.',
        access: 'operate',
        responses: { 200: { schema: regeneratedEnv } },
        errors: ['not_found', 'insufficient_storage'],
      },
      async ({ params, principal }) => {
        const tenant = await tenants.get(params.id);
        const environment = await configs.environmentOf(tenant, await environmentFacts(tenant));
        const { path, backup, omitted } = await configs.writeEnvFile(tenant, environment);
        await journal({
          level: 'info',
          category: 'audit',
          message: `Environment file of ${tenant.slug} written anew by ${principal.username}`,
          tenant: { id: tenant.id, slug: tenant.slug },
          details: { user_id: principal.userId, username: principal.username, path, backup },
        });
        const exceptions =
          omitted.length > 0 ? `, without ${omitted.join(', ')}: the format cannot hold the value` : '';
        return { message: `Environment file written${exceptions}`, path, backup };
      },
    ),
  ];
}

/** A configuration as the caller may, or wants to, see it. */
function shown(config: TenantConfig, { hide_secrets: hide }: { hide_secrets: boolean }, { role }: Principal) {
  const { custom_env: entries } = config;
  if (role === 'viewer') return { ...config, custom_env: hideValues(entries) };
  return hide ? { ...config, custom_env: hideSecrets(entries) } : config;
}
