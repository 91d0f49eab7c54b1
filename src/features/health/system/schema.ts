import { z } from 'zod';
import { timestamp } from '../../../lib/http/routing/formats.ts';

const bytes = z.int().min(0);
const queue = z.object({ queued: z.int(), running: z.int() });

/** What `GET /api/system` answers. */
export const systemOverview = z
  .object({
    version: z.string().meta({ description: 'Of the manager' }),
    node: z.string().meta({ description: 'Version of Node.js' }),
    started_at: timestamp,
    memory_bytes: bytes.meta({ description: 'What the manager’s process holds (resident set)' }),
    runtime: z.object({
      kind: z.string(),
      available: z.boolean(),
      detail: z.string().meta({ description: 'Its version, or why it can’t be used' }),
    }),
    store: z.object({
      dialect: z.enum(['sqlite', 'mysql']),
      version: z.string(),
      size_bytes: bytes,
      schema: z.string().meta({ description: 'The last migration' }),
    }),
    tenants: z.object({
      total: z.int(),
      by_status: z.record(z.string(), z.int()),
      running_by_health: z
        .record(z.string(), z.int())
        .meta({ description: 'Of the tenants with the status `running`, by their last health check' }),
    }),
    operations: queue.meta({ description: 'Deployments, upgrades, backups, restores' }),
    imports: queue.meta({ description: 'Work of the list loader' }),
    metrics_token: z.boolean().meta({ description: 'Whether METRICS_TOKEN is set' }),
  })
  .meta({ id: 'SystemOverview' });

/** What a directory of the manager holds. */
export const diskParts = ['backups', 'releases', 'sources', 'tenants', 'imports', 'store', 'other'] as const;
export type DiskPart = (typeof diskParts)[number];

/** What `GET /api/system/disk` answers. */
export const systemDisk = z
  .object({
    directory: z.string().meta({ description: 'DATA_DIR' }),
    free_bytes: bytes,
    total_bytes: bytes.meta({ description: 'Of the whole file system' }),
    needed_bytes: bytes.meta({ description: 'The setting min_free_disk_mb: with less, nothing is deployed' }),
    engine: z
      .object({ place: z.string(), free_bytes: bytes })
      .nullable()
      .meta({ description: 'Where the runtime keeps images and volumes, where that is another place' }),
    parts: z
      .array(z.object({ name: z.enum(diskParts), bytes }))
      .nullable()
      .meta({ description: 'What takes the room in DATA_DIR, largest first; null where it could not be measured' }),
    measured_at: timestamp,
  })
  .meta({ id: 'SystemDisk' });
