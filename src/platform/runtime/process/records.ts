import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../../kernel/atomic-file.ts';
import { type UnitRole, unitRoles } from '../runtime.ts';
import type { TenantRecord } from './generations.ts';

/** A unit's process as written down: before the start without its number, after it with number and identity. */
export const ProcessRecord = z.object({
  launch: z.string(),
  generation: z.string(),
  pid: z.number().int().positive().nullable(),
  identity: z.string().nullable(),
  startedAt: z.string(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

const tenantSpace = z.object({ id: z.string(), slug: z.string(), directory: z.string() });
const generation = z.object({
  id: z.string(),
  wanted: z.enum(['running', 'stopped']),
  spec: z.object({
    tenant: tenantSpace,
    role: z.enum(unitRoles),
    release: z.object({ key: z.string(), commit: z.string(), checkout: z.string() }),
    definition: z.object({
      start: z.string().optional(),
      port: z.number(),
      image: z.object({ dockerfile: z.string(), target: z.string().optional() }).optional(),
    }),
    environment: z.record(z.string(), z.string()),
    hostPort: z.number(),
    limits: z.object({ memoryMb: z.number(), cpus: z.number(), pids: z.number() }),
  }),
});
const generations = z.object({
  staged: generation.optional(),
  live: generation.optional(),
  previous: generation.optional(),
  unsettled: z.boolean(),
});
const tenantRecord = z.object({ tenant: tenantSpace, units: z.object({ api: generations, frontend: generations }) });

/** What the runtime remembers, a directory a tenant: `generations.json` and `<role>.process.json`, mode 0600 (they hold secrets). */
export interface Records {
  read(tenantId: string): Promise<TenantRecord | undefined>;
  write(record: TenantRecord): Promise<void>;
  remove(tenantId: string): Promise<void>;
  tenantIds(): Promise<string[]>;
  readProcess(tenantId: string, role: UnitRole): Promise<ProcessRecord | undefined>;
  writeProcess(tenantId: string, role: UnitRole, record: ProcessRecord): Promise<void>;
  removeProcess(tenantId: string, role: UnitRole): Promise<void>;
}

export function createRecords(directory: string): Records {
  const folder = (tenantId: string): string => {
    if (!/^[\w-]+$/.test(tenantId)) throw new Error(`Not a tenant id: ${tenantId}`);
    return join(directory, tenantId);
  };
  const generationsFile = (tenantId: string): string => join(folder(tenantId), 'generations.json');
  const processFile = (tenantId: string, role: UnitRole): string => join(folder(tenantId), `${role}.process.json`);
  return {
    read: (tenantId) => readJson(generationsFile(tenantId), tenantRecord),
    write: (record) => writeFileAtomic(generationsFile(record.tenant.id), JSON.stringify(record)),
    remove: (tenantId) => rm(folder(tenantId), { recursive: true, force: true }),
    tenantIds: async () => (await readdir(directory).catch(emptyWhereMissing)).filter((name) => /^[\w-]+$/.test(name)),
    readProcess: (tenantId, role) => readJson(processFile(tenantId, role), ProcessRecord),
    writeProcess: (tenantId, role, record) => writeFileAtomic(processFile(tenantId, role), JSON.stringify(record)),
    removeProcess: (tenantId, role) => rm(processFile(tenantId, role), { force: true }),
  };
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(content));
  } catch (error) {
    throw new Error(`${path} can't be read: it was changed or damaged`, { cause: error });
  }
}

function emptyWhereMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
