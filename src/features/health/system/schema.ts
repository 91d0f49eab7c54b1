import { z } from 'zod';
import { timestamp } from '../../../lib/http/routing/formats.ts';

const bytes = z.int().min(0);
const queue = z.object({ queued: z.int(), running: z.int() });

/** The response of `GET /api/system`. */
export const systemOverview = z
  .object({
    version: z.string().meta({ description: 'Version of the manager' }),
    node: z.string().meta({ description: 'Version of Node.js' }),
    started_at: timestamp,
    memory_bytes: bytes.meta({ description: 'Resident set size of the manager’s process' }),
    runtime: z.object({
      kind: z.string(),
      available: z.boolean(),
      detail: z.string().meta({ description: 'The version, or why the runtime is unavailable' }),
      move_from: z
        .string()
        .nullable()
        .meta({ description: 'The runtime from which tenants are moved; null: `MOVE_FROM_ENGINE` is not set' }),
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
        .meta({ description: 'Number of tenants with the status `running`, by their last health check' }),
    }),
    operations: queue.meta({ description: 'Deployments, upgrades, backups, restores' }),
    imports: queue.meta({ description: 'List imports' }),
    storage: z
      .object({ missing: z.array(z.object({ id: z.string(), hostname: z.string() })) })
      .nullable()
      .meta({ description: 'Ready nodes that lack the shared storage; null: one host, or unknown' }),
    warnings: z.array(z.string()).meta({
      description:
        'Engines of nodes that are too old or differ; a standby manager that is missing; clocks of the engine or the database server that differ from the manager’s by more than 30 s',
    }),
    metrics_token: z.boolean().meta({ description: 'Whether METRICS_TOKEN is set' }),
  })
  .meta({ id: 'SystemOverview' });

/** Something wrong with the manager's dependencies. */
export const systemProblem = z
  .object({
    kind: z.enum(['engine', 'node', 'proxy', 'disk', 'site', 'warning']),
    severity: z.enum(['error', 'warning']),
    name: z
      .string()
      .meta({ description: 'What it is about: the kind of the engine or proxy, a node, a directory; or empty' }),
    cause: z.string(),
  })
  .meta({ id: 'SystemProblem' });

/** The parts of the data directory. */
export const diskParts = ['backups', 'releases', 'sources', 'tenants', 'imports', 'store', 'other'] as const;
export type DiskPart = (typeof diskParts)[number];

/** The response of `GET /api/system/disk`. */
export const systemDisk = z
  .object({
    directory: z.string().meta({ description: 'DATA_DIR' }),
    free_bytes: bytes,
    total_bytes: bytes.meta({ description: 'Size of the file system' }),
    needed_bytes: bytes.meta({ description: 'Free space required to deploy (setting min_free_disk_mb)' }),
    engine_disks: z
      .array(z.object({ place: z.string(), free_bytes: bytes }))
      .meta({ description: 'The file systems where the runtime stores volumes and images, outside DATA_DIR' }),
    build_cache_bytes: bytes.nullable().meta({
      description: 'What the engine’s build cache takes (setting build_cache_gb); null: no engine, or unknown',
    }),
    parts: z
      .array(z.object({ name: z.enum(diskParts), bytes }))
      .nullable()
      .meta({ description: 'Disk usage of the parts of DATA_DIR, largest first; null: not measurable' }),
    measured_at: timestamp,
  })
  .meta({ id: 'SystemDisk' });
