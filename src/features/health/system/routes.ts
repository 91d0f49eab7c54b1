import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { systemDisk, systemOverview } from './schema.ts';
import type { SystemService } from './service.ts';

const common = { method: 'get', tag: 'System', access: 'operate' } as const;

export function systemRoutes(system: Pick<SystemService, 'overview' | 'disk'>): Route[] {
  return [
    defineRoute(
      {
        ...common,
        path: '/api/system',
        summary: 'Get the status of the manager, its runtime and its database',
        responses: { 200: { schema: systemOverview } },
      },
      () => system.overview(),
    ),
    defineRoute(
      {
        ...common,
        path: '/api/system/disk',
        summary: 'Get the disk usage',
        description:
          'Measured at most once a minute, at `measured_at`. With many releases, the first measurement takes some seconds.',
        responses: { 200: { schema: systemDisk } },
      },
      () => system.disk(),
    ),
  ];
}
