import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { databaseEngines } from '../../adapters/databases/tenant-database.ts';
import { userChecks } from '../../adapters/tenant-api/user-steps/definition.ts';
import { runTask } from '../../lib/workers/worker-task.ts';

export const fileName = 'tenant.yaml';
const maxManifestBytes = 32 * 1024;
/** Parsing the largest manifest takes milliseconds; these limits stop a hostile one. */
const limits = { heapMb: 64, processorMs: 10_000 };
const entry = new URL('./manifest-worker.ts', import.meta.url);

export interface ManifestTask {
  text: string;
  needs: 'image' | 'start';
}

/** Messages instead of errors: only an AppError crosses the thread boundary unchanged. */
export type ManifestResult = { manifest: Manifest } | { problem: string };

const commandLine = z.string().trim().min(1).max(2_000);
const urlPath = z.string().regex(/^\/[^\s?#]*$/, 'must be a path that starts with /');
const relativePath = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[\w./-]+$/, 'must be a relative path inside the repository');

const unit = z
  .strictObject({
    start: commandLine.optional(),
    port: z.int().min(1).max(65_535),
    health: urlPath,
    probe: urlPath.optional(),
    image: z
      .strictObject({
        dockerfile: relativePath,
        target: z
          .string()
          .regex(/^[\w.-]+$/)
          .optional(),
        read_only: z.boolean().optional(),
      })
      .optional(),
  })
  .refine((value) => value.start !== undefined || value.image !== undefined, 'needs start, image or both');

/** `tenant.yaml`, what a tenant's repository says about itself (the tenant contract, version 1). */
export const manifest = z.strictObject({
  version: z.literal(1),
  units: z.strictObject({ api: unit, frontend: unit }),
  install: commandLine.optional(),
  /** Seconds in which both units must become healthy after their start. */
  start_timeout: z.int().min(1).max(86_400).optional(),
  database: z.strictObject({ engines: z.array(z.enum(databaseEngines)) }).default({ engines: [] }),
  migrations: z
    .strictObject({
      run: commandLine.refine((line) => line.includes('{name}'), 'must contain {name}'),
      scripts: z.array(z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, 'must be a name of letters, digits, _ and -')),
    })
    .optional(),
  checks: userChecks.default([]),
});
export type Manifest = z.output<typeof manifest>;

/**
 * Reads and checks the manifest of a checkout, in a worker thread because the file is untrusted.
 * @param needs the half of a unit's definition that the runtime uses
 * @throws Error naming the file, the field and what was expected
 */
export async function readManifest(checkout: string, needs: 'image' | 'start'): Promise<Manifest> {
  const path = join(checkout, fileName);
  const found = await lstat(path).catch(() => undefined);
  if (!found) throw new Error(`${fileName}: not found at the root of the repository`);
  // A symbolic link could point outside the checkout.
  if (!found.isFile()) throw new Error(`${fileName}: must be a plain file`);
  if (found.size > maxManifestBytes) throw new Error(`${fileName}: must be at most ${maxManifestBytes / 1024} KiB`);
  const task = { text: await readFile(path, 'utf8'), needs };
  const result = await runTask<ManifestTask, never, ManifestResult>(entry, task, {
    ...limits,
    timedOut: () =>
      new Error(`${fileName}: needs more than ${limits.processorMs / 1_000} s of processor time to be read`),
    outOfMemory: () => new Error(`${fileName}: needs too much memory to be read`),
  });
  if ('problem' in result) throw new Error(result.problem);
  return result.manifest;
}
