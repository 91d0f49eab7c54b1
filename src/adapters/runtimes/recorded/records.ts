import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { rm } from '../../../lib/files/changes.ts';
import { unitRoles } from '../runtime.ts';
import { generationsOf, type TenantRecord } from './generations.ts';

const tenantSpace = z.object({ id: z.string(), slug: z.string(), directory: z.string() });
const generation = z.object({
  id: z.string(),
  wanted: z.enum(['running', 'stopped']),
  copy: z.string().optional(),
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

/** @param directory contains the tenants' directories */
export function createTenantRecords(directory: string) {
  const folder = (tenantId: string): string => {
    if (!/^[\w-]+$/.test(tenantId)) throw new Error(`Not a tenant id: ${tenantId}`);
    return join(directory, tenantId);
  };
  const file = (tenantId: string): string => join(folder(tenantId), 'generations.json');
  const read = (tenantId: string): Promise<TenantRecord | undefined> => readJson(file(tenantId), tenantRecord);
  const tenantIds = async (): Promise<string[]> =>
    (await readdir(directory).catch(emptyWhereMissing)).filter((name) => /^[\w-]+$/.test(name));
  return {
    /** The tenant's own directory, for files that belong to its record. @throws Error for an invalid id */
    folder,
    /** @throws Error when the file is damaged */
    read,
    write: (record: TenantRecord) => writeFileAtomic(file(record.tenant.id), JSON.stringify(record)),
    remove: (tenantId: string) => rm(folder(tenantId), { recursive: true, force: true }),
    tenantIds,
    /** All that can be read; the others are only reported. */
    async readable(onError?: (tenantId: string, error: unknown) => void) {
      const found = await Promise.all(
        (await tenantIds()).map((tenantId) => read(tenantId).catch((error: unknown) => onError?.(tenantId, error))),
      );
      return found.filter((record) => record !== undefined);
    },
    /** Keys of the releases in use by generations of any tenant. @throws Error when a file is damaged */
    async releaseKeys() {
      const found = await Promise.all((await tenantIds()).map(read));
      return found.flatMap((record) => (record ? generationsOf(record).map(({ spec }) => spec.release.key) : []));
    },
  };
}

export type TenantRecords = ReturnType<typeof createTenantRecords>;

/** @throws Error when the file does not match the schema */
export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
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
