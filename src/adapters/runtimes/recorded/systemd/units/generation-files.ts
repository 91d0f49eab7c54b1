import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../../lib/files/atomic-file.ts';
import { mkdir, rm } from '../../../../../lib/files/changes.ts';
import type { TenantSpace } from '../../../runtime.ts';
import type { Environments } from '../../environment.ts';
import { type Generation, generationsOf, type TenantRecord } from '../../generations.ts';
import type { TenantRecords } from '../../records.ts';
import { serviceName, tenantUser } from '../names.ts';
import type { TenantPaths } from '../paths.ts';
import { runTool } from '../programs.ts';
import { environmentFile } from './quoting.ts';
import { renderUnit } from './unit-file.ts';

/** The files of each generation of a unit: its unit file and its environment, in its own directory next to the record. */
export function createGenerationFiles(options: {
  instance: string;
  records: TenantRecords;
  paths: TenantPaths;
  environments: Environments;
  nodeDirectory: string;
  version(): Promise<number>;
}) {
  const { instance, records, paths, environments, nodeDirectory } = options;
  const holder = (tenant: TenantSpace): string => join(records.folder(tenant.id), 'generations');
  const pathsOf = ({ id, spec }: Generation) => ({
    unit: join(holder(spec.tenant), id, serviceName(spec.tenant.slug, spec.role)),
    environment: join(holder(spec.tenant), id, 'environment'),
  });

  async function made(generation: Generation): Promise<{ unit: string; environment: string }> {
    const { spec, id } = generation;
    const unit = renderUnit({
      spec,
      instance,
      generation: id,
      user: tenantUser(instance, spec.tenant),
      paths: {
        checkout: spec.release.checkout,
        checkoutWritable: false,
        nodeDirectory,
        writable: paths.writable(spec.tenant),
      },
      environmentFile: pathsOf(generation).environment,
      version: await options.version(),
    });
    return { unit, environment: environmentFile(environments.for(spec.environment, spec.hostPort)) };
  }

  async function save(generation: Generation): Promise<{ unit: string }> {
    const content = await made(generation);
    const paths = pathsOf(generation);
    await mkdir(join(holder(generation.spec.tenant), generation.id), { recursive: true, mode: 0o700 });
    await writeFileAtomic(paths.environment, content.environment);
    await writeFileAtomic(paths.unit, content.unit, 0o644);
    return content;
  }

  return {
    /** Writes them, and has systemd check the unit file. @throws Error with systemd's message */
    async write(generation: Generation, signal: AbortSignal) {
      await save(generation);
      const { unit } = pathsOf(generation);
      const args = ['verify', '--recursive-errors=no', '--man=no', '--generators=no', unit];
      const { exitCode, output } = await runTool('systemd-analyze', args, { signal });
      if (exitCode !== 0)
        throw new Error(`systemd refuses the unit file of ${generation.spec.role}: ${output.trim().slice(-1_000)}`);
    },
    /** The unit file as it was generated; generated again if it is missing. */
    async unitFile(generation: Generation) {
      const paths = pathsOf(generation);
      const kept = await Promise.all([read(paths.unit), read(paths.environment)]);
      return kept[0] === undefined || kept[1] === undefined ? (await save(generation)).unit : kept[0];
    },
    /** Whether both equal what would be generated now. */
    async areCurrent(generation: Generation) {
      const paths = pathsOf(generation);
      const now = await made(generation);
      return (await read(paths.unit)) === now.unit && (await read(paths.environment)) === now.environment;
    },
    /** Removes those of generations that are not in the record. */
    async prune(record: TenantRecord) {
      const kept = new Set(generationsOf(record).map(({ id }) => id));
      const there = await readdir(holder(record.tenant)).catch((): string[] => []);
      for (const id of there)
        if (!kept.has(id)) await rm(join(holder(record.tenant), id), { recursive: true, force: true });
    },
  };
}

export type GenerationFiles = ReturnType<typeof createGenerationFiles>;

async function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
