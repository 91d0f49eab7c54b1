import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isScalar, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { databaseEngines } from '../../adapters/databases/tenant-database.ts';
import { messageOf } from '../../lib/errors.ts';
import { runTask } from '../../lib/workers/worker-task.ts';

const fileName = 'tenant.yaml';
const maxManifestBytes = 32 * 1024;
/** A hostile manifest may have thousands of unknown keys. */
const maxProblemLength = 2_000;
/** Parsing the largest manifest takes milliseconds; these limits stop a hostile one. */
const limits = { heapMb: 64, timeoutMs: 10_000 };
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
      })
      .optional(),
  })
  .refine((value) => value.start !== undefined || value.image !== undefined, 'needs start, image or both');

/** `tenant.yaml`, what a tenant's repository says about itself (the tenant contract, version 1). */
export const manifest = z.strictObject({
  version: z.literal(1),
  units: z.strictObject({ api: unit, frontend: unit }),
  install: commandLine.optional(),
  database: z.strictObject({ engines: z.array(z.enum(databaseEngines)) }).default({ engines: [] }),
  migrations: z
    .strictObject({
      run: commandLine.refine((line) => line.includes('{name}'), 'must contain {name}'),
      scripts: z.array(z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, 'must be a name of letters, digits, _ and -')),
    })
    .optional(),
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
    timedOut: () => new Error(`${fileName}: could not be read within ${limits.timeoutMs / 1_000} seconds`),
    outOfMemory: () => new Error(`${fileName}: needs too much memory to be read`),
  });
  if ('problem' in result) throw new Error(result.problem);
  return result.manifest;
}

/**
 * The pure part of `readManifest`.
 * @throws Error as `readManifest`
 */
export function parseManifest(text: string, needs: 'image' | 'start'): Manifest {
  const result = manifest.safeParse(parseYaml(text));
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'the document'}: ${issue.message}`);
    throw new Error(`${fileName}: ${problems.join('; ').slice(0, maxProblemLength)}`);
  }
  for (const role of ['api', 'frontend'] as const) {
    if (result.data.units[role][needs] === undefined) {
      throw new Error(
        `${fileName}: units.${role}.${needs}: required by the configured runtime, which runs units from their ${needs}`,
      );
    }
  }
  return result.data;
}

function parseYaml(text: string): unknown {
  try {
    // The library's own check for unique keys takes quadratic time.
    const document = parseDocument(text, { uniqueKeys: false });
    const [error] = document.errors;
    if (error) throw error;
    visit(document, {
      Map(_, { items }) {
        const seen = new Set<unknown>();
        for (const { key } of items) {
          const name = isScalar(key) ? key.value : key;
          if (seen.has(name)) throw new Error(`the key ${JSON.stringify(name)} occurs twice in one map`);
          seen.add(name);
        }
      },
    });
    return document.toJS();
  } catch (error) {
    throw new Error(`${fileName}: ${messageOf(error).split('\n')[0]}`);
  }
}
