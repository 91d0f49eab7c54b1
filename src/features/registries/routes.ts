import { toTimestamp } from '../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { hidden, newRegistry, registry, registryChange, registryList, removed, tested } from './schema.ts';
import type { NewRegistry, RegistryService, RegistryView } from './service.ts';

const path = '/api/system/registries';

const toResponse = ({ tenantIds, createdAt, updatedAt, ...row }: RegistryView) =>
  ({
    ...row,
    password: hidden,
    tenant_ids: tenantIds,
    created_at: toTimestamp(createdAt),
    updated_at: toTimestamp(updatedAt),
  }) as const;

const fromRequest = ({
  tenant_ids: tenantIds,
  ...body
}: Omit<NewRegistry, 'tenantIds'> & { tenant_ids: string[] }): NewRegistry => ({ ...body, tenantIds });

/** Management of the credentials of registries. */
export function registryRoutes(registries: RegistryService): Route[] {
  const common = { tag: 'System', access: 'administer' } as const;
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path,
        summary: 'List image registries with credentials',
        description: 'Those of REGISTRY_AUTH_FILE, which serve all tenants, are not listed.',
        query: pagingQuery(),
        responses: { 200: { schema: registryList } },
      },
      async ({ query: { limit, offset } }) => {
        const all = await registries.list();
        return { registries: all.slice(offset, offset + limit).map(toResponse), total: all.length, limit, offset };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path,
        summary: 'Add credentials for an image registry',
        description:
          'They are used for the base images of the tenants and repositories that are named (none until then) and for MARIADB_IMAGE, and sent to this registry alone. The password is stored encrypted and never answered.',
        body: newRegistry,
        responses: { 201: { schema: registry } },
      },
      async ({ body, principal }) => toResponse(await registries.create(fromRequest(body), principal)),
    ),
    defineRoute(
      {
        ...common,
        method: 'get',
        path: `${path}/{id}`,
        summary: 'Get an image registry',
        responses: { 200: { schema: registry } },
        errors: ['not_found'],
      },
      async ({ params }) => toResponse(await registries.show(params.id)),
    ),
    defineRoute(
      {
        ...common,
        method: 'put',
        path: `${path}/{id}`,
        summary: 'Change an image registry',
        description: `A password sent back as ${hidden} is kept, unless the host changes.`,
        body: registryChange,
        responses: { 200: { schema: registry } },
        errors: ['not_found'],
      },
      async ({ params, body, principal }) =>
        toResponse(await registries.change(params.id, fromRequest(body), principal)),
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: `${path}/{id}`,
        summary: 'Delete the credentials of an image registry',
        responses: { 200: { schema: removed } },
        errors: ['not_found'],
      },
      async ({ params, principal }) => {
        await registries.remove(params.id, principal);
        return { message: 'Registry deleted' };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: `${path}/{id}/test`,
        summary: 'Sign in at an image registry',
        description: 'The engine signs in with the stored credentials.',
        responses: { 200: { schema: tested } },
        errors: ['not_found', 'invalid_state', 'runtime_unavailable'],
      },
      async ({ params }) => {
        const reason = await registries.test(params.id);
        return { accepted: reason === undefined, reason: reason ?? null };
      },
    ),
  ];
}
