import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { systemDisk, systemOverview } from './schema.ts';
import type { SystemService } from './service.ts';

const common = { method: 'get', tag: 'System', access: 'operate' } as const;

export function systemRoutes(system: SystemService): Route[] {
  return [
    defineRoute(
      {
        ...common,
        path: '/api/system',
        summary: 'The manager, its engine and its database',
        responses: { 200: { schema: systemOverview } },
      },
      () => system.overview(),
    ),
    defineRoute(
      {
        ...common,
        path: '/api/system/disk',
        summary: 'Room on the disk, and what takes it',
        description:
          'Measured at most once a minute: `measured_at` says when. A first look at many releases takes some seconds.',
        responses: { 200: { schema: systemDisk } },
      },
      () => system.disk(),
    ),
  ];
}
