import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';

const fileName = 'tenant.yaml';
const largestManifest = 256 * 1024;

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
  database: z.strictObject({ engines: z.array(z.enum(['mariadb', 'sqlite'])) }).default({ engines: [] }),
  migrations: z
    .strictObject({
      run: commandLine.refine((line) => line.includes('{name}'), 'must hold {name}'),
      scripts: z.array(z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/, 'must be a name of letters, digits, _ and -')),
    })
    .optional(),
});
export type Manifest = z.output<typeof manifest>;

/**
 * Reads and checks the manifest of a checkout.
 * @param needs the half of a unit's definition that the runtime uses
 * @throws Error naming the file, the field and what was expected
 */
export async function readManifest(checkout: string, needs: 'image' | 'start'): Promise<Manifest> {
  const path = join(checkout, fileName);
  const found = await lstat(path).catch(() => undefined);
  if (!found) throw new Error(`${fileName}: not found at the root of the repository`);
  // A link could lead out of the checkout.
  if (!found.isFile()) throw new Error(`${fileName}: must be a plain file`);
  if (found.size > largestManifest) throw new Error(`${fileName}: must be at most ${largestManifest / 1024} KiB`);
  return parseManifest(await readFile(path, 'utf8'), needs);
}

/** The pure half of `readManifest`. */
export function parseManifest(text: string, needs: 'image' | 'start'): Manifest {
  const result = manifest.safeParse(parseYaml(text));
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.') || 'the document'}: ${issue.message}`);
    throw new Error(`${fileName}: ${problems.join('; ')}`);
  }
  for (const role of ['api', 'frontend'] as const) {
    if (result.data.units[role][needs] === undefined) {
      throw new Error(
        `${fileName}: units.${role}.${needs}: required by the runtime in use, which runs units by their ${needs}`,
      );
    }
  }
  return result.data;
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) throw new Error(`${fileName}: ${error.message.split('\n')[0]}`);
    throw new Error(`${fileName}: could not be read as YAML`);
  }
}
