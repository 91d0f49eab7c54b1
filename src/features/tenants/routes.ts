import { domainToUnicode } from 'node:url';
import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { may } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Principal, type Route } from '../../lib/http/routing/route.ts';
import type { TenantAdministration, TenantAdministrationDeps } from './administration.ts';
import { exported, sendCsv } from './list-csv.ts';
import {
  createdTenant,
  exportBody,
  newTenant,
  removedTenant,
  removeQuery,
  tenantBody,
  tenantChanges,
  tenantList,
  tenantQuery,
} from './schema.ts';
import type { Tenant } from './tenant.ts';

const plainItem = (tenant: Tenant) => ({
  id: tenant.id,
  name: tenant.name,
  slug: tenant.slug,
  domain: tenant.domain,
  api_domain: tenant.apiDomain,
  status: tenant.status,
  health_status: tenant.healthStatus,
  health_since: toTimestampOrNull(tenant.healthSince),
  frontend_port: tenant.frontendPort,
  backend_port: tenant.backendPort,
  created_at: toTimestamp(tenant.createdAt),
  deployed_at: toTimestampOrNull(tenant.deployedAt),
  tags: tenant.tags,
  version: tenant.deployed?.version ?? null,
});

/** A host name with its letters outside ASCII; null: it has none. */
function writtenName(name: string): string | null {
  const written = domainToUnicode(name);
  return written === '' || written === name ? null : written;
}

export function tenantRoutes(
  administration: TenantAdministration,
  {
    tenants,
    health,
    backups,
    source,
    updates,
    removeResources,
  }: Pick<TenantAdministrationDeps, 'tenants' | 'health' | 'backups' | 'source' | 'updates' | 'removeResources'>,
): Route[] {
  /** The tenants with what other features know about them. */
  async function listItems(found: readonly Tenant[]) {
    const lastBackups = await backups.lastOf(found.map(({ id }) => id));
    return found.map((tenant) => ({
      ...plainItem(tenant),
      update_available: updates.updateOf(tenant),
      last_backup_at: toTimestampOrNull(lastBackups.get(tenant.id) ?? null),
      response_ms: health.responseMs(tenant.id),
    }));
  }

  async function deployedCommit({ deployed }: Tenant) {
    const details = deployed && (await source.detailsOf(deployed));
    return details ? { ...details, id: deployed.commit, date: toTimestamp(details.date) } : null;
  }

  const full = async (tenant: Tenant, { role }: Principal) => ({
    ...plainItem(tenant),
    update_available: updates.updateOf(tenant),
    last_backup_at: toTimestampOrNull((await backups.lastOf([tenant.id])).get(tenant.id) ?? null),
    response_ms: health.responseMs(tenant.id),
    health_details: health.lastDetails(tenant.id) ?? tenant.healthDetails,
    deployed_commit: await deployedCommit(tenant),
    written_domain: writtenName(tenant.domain),
    written_api_domain: writtenName(tenant.apiDomain),
    directory: may(role, 'operate') ? tenant.directory : null,
    git_repo: tenant.gitRepo,
    notes: tenant.notes,
  });
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants',
        tag: 'Tenants',
        summary: 'List tenants',
        description:
          'Newest first. `search` matches part of the name, the slug or a domain, ignoring case and accents.',
        access: 'view',
        query: tenantQuery,
        responses: { 200: { schema: tenantList } },
      },
      async ({ query: { status, health_status: health, search, tag, limit, offset } }) => {
        const { items, total } = await tenants.list({ status, health, search, tag }, { limit, offset });
        return { tenants: await listItems(items), total, limit, offset };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/export',
        tag: 'Tenants',
        summary: 'Export the list as CSV',
        description:
          'All tenants, or those of `tenant_ids` or `filter`. Cells that a spreadsheet would take for formulas begin with an apostrophe.',
        access: 'view',
        body: exportBody,
        responses: { 200: { mediaType: 'text/csv', description: 'The file' } },
      },
      async ({ body, response }) => {
        await sendCsv(response, await listItems(await exported(body, tenants)));
        return undefined;
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}',
        tag: 'Tenants',
        summary: 'Get a tenant',
        access: 'view',
        responses: { 200: { schema: tenantBody } },
        errors: ['not_found'],
      },
      async ({ params, principal }) => full(await tenants.get(params.id), principal),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants',
        tag: 'Tenants',
        summary: 'Register a tenant',
        description:
          'Also creates its configuration and theme. Without ports, the tenant gets the next free pair of the pool; with one port, ' +
          'it gets the other port of the same pair.',
        access: 'operate',
        body: newTenant,
        responses: { 201: { schema: createdTenant } },
        errors: ['slug_taken', 'domain_taken', 'port_taken', 'ports_exhausted'],
      },
      async ({ body, principal }) => {
        const tenant = await administration.create(
          {
            name: body.name,
            slug: body.slug,
            domain: body.domain,
            apiDomain: body.api_domain,
            frontendPort: body.frontend_port ?? undefined,
            backendPort: body.backend_port ?? undefined,
            gitRepo: body.git_repo,
            notes: body.notes,
            tags: body.tags,
          },
          principal,
        );
        const { id, name, slug, domain, status, frontend_port, backend_port, created_at } = plainItem(tenant);
        return { id, name, slug, domain, status, frontend_port, backend_port, created_at };
      },
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}',
        tag: 'Tenants',
        summary: 'Update a tenant',
        description:
          'Send any of the fields; the slug can’t change. The services get new domains and ports at their next start, restart or deployment.',
        access: 'operate',
        body: tenantChanges,
        responses: { 200: { schema: tenantBody } },
        errors: ['not_found', 'domain_taken', 'port_taken', 'operation_in_progress'],
      },
      async ({ params, body, principal }) =>
        full(
          await administration.update(
            params.id,
            {
              name: body.name,
              domain: body.domain,
              apiDomain: body.api_domain,
              frontendPort: body.frontend_port,
              backendPort: body.backend_port,
              gitRepo: body.git_repo,
              notes: body.notes,
              tags: body.tags,
            },
            principal,
          ),
          principal,
        ),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/tenants/{id}',
        tag: 'Tenants',
        summary: 'Delete a tenant',
        description: 'Always removes the record and the ports; `removed` reports what else was actually removed.',
        access: 'administer',
        query: removeQuery,
        responses: { 200: { schema: removedTenant } },
        errors: ['not_found', 'operation_in_progress', 'runtime_unavailable', 'proxy_unavailable'],
      },
      async ({ params, query, principal }) => {
        const tenant = await tenants.get(params.id);
        const { files, proxy, services } = await removeResources(
          tenant,
          {
            removeFiles: query.remove_files,
            removeProxy: query.remove_proxy,
            removeServices: query.remove_services,
          },
          principal,
        );
        await tenants.remove(tenant.id, principal);
        const ports = [tenant.frontendPort, tenant.backendPort].sort((a, b) => a - b);
        return { message: `Tenant ${tenant.slug} deleted`, removed: { files, proxy, services, ports_released: ports } };
      },
    ),
  ];
}
