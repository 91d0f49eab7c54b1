import { invalid } from '../../kernel/errors.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import type { TenantService } from '../tenants/service.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { ConfigFields } from './config-fields.ts';
import { configChanges, regeneratedEnv, tenantConfig } from './schema.ts';
import type { EnvironmentFacts, TenantConfigService } from './service.ts';

interface ConfigRoutesDeps {
  configs: TenantConfigService;
  tenants: Pick<TenantService, 'get'>;
  journal: WriteJournal;
  facts(tenant: Tenant): Promise<EnvironmentFacts>;
}

export function configRoutes({ configs, tenants, journal, facts }: ConfigRoutesDeps): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/config',
        tag: 'Configuration',
        summary: "A tenant's configuration",
        access: 'viewer',
        response: { schema: tenantConfig },
        errors: ['not_found'],
      },
      async ({ params }) => configs.get(params.id),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/config',
        tag: 'Configuration',
        summary: "Change a tenant's configuration",
        description:
          'Any of the fields; `custom_env` is replaced as a whole. The services get it at their next start, restart or deployment.',
        access: 'operator',
        body: configChanges,
        response: { schema: tenantConfig },
        errors: ['not_found'],
      },
      async ({ params, body: { id, tenant_id, ...changes }, principal }) => {
        const current = await configs.get(params.id);
        if (id !== undefined && id !== current.id) throw invalid('id', 'cannot be changed');
        if (tenant_id !== undefined && tenant_id !== current.tenant_id) throw invalid('tenant_id', 'cannot be changed');
        return configs.update(params.id, given(changes), principal);
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/config/regenerate-env',
        tag: 'Configuration',
        summary: "Write a tenant's environment file anew",
        description:
          'The previous file is kept beside it; `backup` is null where there was none. The services are not restarted.',
        access: 'operator',
        response: { schema: regeneratedEnv },
        errors: ['not_found'],
      },
      async ({ params, principal }) => {
        const tenant = await tenants.get(params.id);
        const environment = await configs.environmentOf(tenant, await facts(tenant));
        const { path, backup, leftOut } = await configs.writeEnvFile(tenant, environment);
        await journal({
          level: 'info',
          category: 'audit',
          message: `Environment file of ${tenant.slug} written anew by ${principal.username}`,
          tenant: { id: tenant.id, slug: tenant.slug },
          details: { user_id: principal.userId, username: principal.username, path, backup },
        });
        const exceptions =
          leftOut.length > 0 ? `, without ${leftOut.join(', ')}: the format cannot hold the value` : '';
        return { message: `Environment file written${exceptions}`, path, backup };
      },
    ),
  ];
}

/** Only the fields that were sent. */
function given(changes: { [Name in keyof ConfigFields]?: ConfigFields[Name] | undefined }): Partial<ConfigFields> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
