import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import PQueue from 'p-queue';
import { z } from 'zod';
import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { removeCutOffWrites, writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { rename, rm } from '../../../../lib/files/changes.ts';
import { newId } from '../../../../lib/ids.ts';
import type { Logger } from '../../../../lib/logger.ts';
import type { JobSpec, Release, TenantSpace, UnitRole } from '../../runtime.ts';
import { type Generation, generationsOf, type TenantRecord } from '../generations.ts';
import { readJson } from '../records.ts';
import { copyTree } from './copy-tree.ts';
import type { Records } from './records.ts';

/**
 * Directories of package managers. Files below are hard-linked, so all tenants at a commit share them: thousands of files that
 * programs read and never modify in place. Everything else, build output included, is copied (docs/decisions/0034).
 */
const dependencyDirectories = new Set([
  'node_modules',
  'bower_components',
  '.pnpm-store',
  '.yarn',
  '.venv',
  'venv',
  'vendor',
]);
/** As many as Node has threads for files: more would not be faster, and delay the manager. */
const concurrency = 4;
/** Suffix of an incomplete copy. */
const partial = '.partial';

/** @param options.directory the runtime's own directory */
export function createWorkingCopies(options: { directory: string; records: Records; logger: Logger }) {
  const { records, logger } = options;
  const jobs = join(options.directory, 'jobs');
  const notes = join(options.directory, 'checkouts');
  const copiesOf = (tenant: TenantSpace): string => join(records.folder(tenant.id), 'copies');
  // Shared by all copies, so that many simultaneous deployments don't take the disk from running units.
  const queue = new PQueue({ concurrency });
  const locks = new KeyedLock();

  /** Made under another name and moved: a copy is complete or missing. */
  function make({ key, checkout }: Release, target: string, signal?: AbortSignal): Promise<void> {
    return locks.run(target, async () => {
      if (await isDirectory(target)) return;
      if (!(await isDirectory(checkout))) throw new Error(`There is no checkout at ${checkout}`);
      const committed = new Set(await readJson(join(notes, key), z.array(z.string())));
      const isLinked = (path: string): boolean => dependencyDirectories.has(basename(path)) && !committed.has(path);
      const aside = target + partial;
      try {
        await rm(aside, { recursive: true, force: true });
        await copyTree(checkout, aside, { isLinked, queue, signal });
        await rename(aside, target);
      } catch (error) {
        await rm(aside, { recursive: true, force: true });
        throw error;
      }
    });
  }

  async function ensure(generation: Generation, signal?: AbortSignal): Promise<string> {
    const target = join(copiesOf(generation.spec.tenant), nameOf(generation));
    await make(generation.spec.release, target, signal);
    return target;
  }

  async function prune(record: TenantRecord): Promise<void> {
    const kept = new Set(generationsOf(record).map(nameOf));
    const holder = copiesOf(record.tenant);
    try {
      for (const name of await readdir(holder).catch((): string[] => []))
        if (!kept.has(name.replace(partial, ''))) await rm(join(holder, name), { recursive: true, force: true });
    } catch (error) {
      logger.warn({ tenant: record.tenant.slug, err: error }, 'A working copy could not be removed');
    }
  }

  return {
    /** Records which of the dependency directories belong to the commit itself. Call before the install line adds others. */
    async noteCheckout({ key, checkout }: Release) {
      const file = join(notes, key);
      // The same commit has the same directories; a failed install may have added others by now.
      if ((await readJson(file, z.array(z.string())).catch(() => undefined)) !== undefined) return;
      const entries = await readdir(checkout, { withFileTypes: true, recursive: true });
      const committed = entries.filter((entry) => entry.isDirectory() && dependencyDirectories.has(entry.name));
      const paths = committed.map(({ parentPath, name }) => relative(checkout, join(parentPath, name)));
      await writeFileAtomic(file, JSON.stringify(paths));
    },
    /** Makes a new copy for a generation just staged, or shares the other unit's if that is staged at the same release. */
    async stage(record: TenantRecord, role: UnitRole, signal: AbortSignal) {
      const unit = record.units[role];
      const other = record.units[role === 'api' ? 'frontend' : 'api'].staged;
      if (!unit.staged) return record;
      const isShared = other?.spec.release.key === unit.staged.spec.release.key;
      const staged = { ...unit.staged, copy: isShared ? nameOf(other) : newId() };
      await ensure(staged, signal);
      return { ...record, units: { ...record.units, [role]: { ...unit, staged } } };
    },
    /** The directory that a generation runs in; created if it is missing. */
    ensure,
    /** Runs `use` in the copy of the generation staged for a job's unit, else in a temporary one. */
    async forJob<T>(job: JobSpec, signal: AbortSignal, use: (directory: string) => Promise<T>) {
      const staged = (await records.read(job.tenant.id).catch(() => undefined))?.units[job.role].staged;
      if (staged?.spec.release.key === job.release.key) return use(await ensure(staged, signal));
      const own = join(jobs, newId());
      try {
        await make(job.release, own, signal);
        return await use(own);
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
    /** Removes the copies that no generation of the record runs in. Never throws: what remains is removed next time. */
    prune,
    /** Removes what an earlier manager left. */
    async removeLeftovers() {
      await removeCutOffWrites(notes);
      await rm(jobs, { recursive: true, force: true });
      for (const record of await records.readable()) await prune(record);
    },
    /** Forgets the records of all releases but these. */
    async forgetExcept(keys: ReadonlySet<string>) {
      const names = await readdir(notes).catch((): string[] => []);
      for (const name of names) if (!keys.has(name)) await rm(join(notes, name), { force: true });
    },
  };
}

export type WorkingCopies = ReturnType<typeof createWorkingCopies>;

/** A generation staged by an earlier version of the manager has no copy: it gets one at its next start. */
const nameOf = ({ copy, spec }: Generation): string => copy ?? spec.release.key;

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
