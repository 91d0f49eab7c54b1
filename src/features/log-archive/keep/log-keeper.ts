import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Runtime, type TenantSpace, type UnitRole, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { open, rm } from '../../../lib/files/changes.ts';
import type { Logger } from '../../../lib/logger.ts';
import { segmentsIn } from './generation.ts';
import { decodeLine, type KeptLine } from './line.ts';
import { framesIn, segmentName, textOf } from './segment.ts';
import { UnitArchive } from './unit-archive.ts';

export interface LogKeeperDeps {
  /** Where the logs are kept (absolute): `<tenant id>/<role>/<generation>/`. */
  directory: string;
  logger: Logger;
  /** Text kept of each generation of a unit, in bytes. */
  keepBytes(): Promise<number>;
}

interface CollectOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  roles?: readonly UnitRole[];
}

/** How long one unit's collection may take: an engine that hangs must not stop those of other units. */
const collectWithinMs = 60_000;

/**
 * Keeps units' logs in files of the manager, past their containers. A collection reads what came since the last one; how far that
 * was is in the kept frames themselves, so lines are kept once whenever the manager is killed.
 */
export function createLogKeeper({ directory, logger, keepBytes }: LogKeeperDeps) {
  const archives = new Map<string, UnitArchive>();
  const locks = new KeyedLock();
  const pathOf = (tenantId: string, role: UnitRole): string => join(directory, tenantId, role);

  /** Works on a unit's archive, one at a time. */
  const withArchive = <T>(tenantId: string, role: UnitRole, work: (archive: UnitArchive) => Promise<T>): Promise<T> => {
    const path = pathOf(tenantId, role);
    return locks.run(path, async () => {
      const archive = archives.get(path) ?? (await UnitArchive.read(path));
      archives.set(path, archive);
      try {
        return await work(archive);
      } catch (error) {
        // What was written of a failed change is read again.
        archives.delete(path);
        throw error;
      }
    });
  };

  async function collectUnit(
    runtime: Runtime,
    tenant: TenantSpace,
    role: UnitRole,
    signal: AbortSignal | undefined,
    timeoutMs: number,
  ): Promise<void> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    await withArchive(tenant.id, role, async (archive) => {
      either.throwIfAborted();
      await archive.collect(runtime, { tenant, role }, await keepBytes(), either);
    });
  }

  return {
    directoryOf: (tenantId: string): string => join(directory, tenantId),

    /** Keeps what a tenant's units have written since the last time. Never throws: a log must not stop what is done with its unit. */
    async collect(
      runtime: Runtime,
      tenant: TenantSpace,
      { signal, timeoutMs = collectWithinMs, roles = unitRoles }: CollectOptions = {},
    ): Promise<void> {
      await Promise.all(
        roles.map((role) =>
          collectUnit(runtime, tenant, role, signal, timeoutMs).catch((error: unknown) => {
            if (signal?.aborted) return;
            logger.warn({ tenant: tenant.slug, role, message: messageOf(error) }, 'a log could not be kept');
          }),
        ),
      );
    },

    /** The generations of which lines are kept, the latest first. */
    generations: (tenantId: string, role: UnitRole) =>
      withArchive(tenantId, role, async (archive) =>
        archive.generations.map(({ id, facts, totals }) => ({ role, generation: id, ...facts, ...totals })),
      ),

    /** The last lines that a unit wrote, of whichever generation, the oldest first. */
    lastLines: (tenantId: string, role: UnitRole, count: number): Promise<KeptLine[]> =>
      withArchive(tenantId, role, (archive) =>
        lastLinesIn(
          archive.generations.map((generation) => generation.directory),
          count,
        ),
      ),

    /** Removes what was written before a time, and ended generations of before. */
    async removeBefore(time: Date): Promise<void> {
      for (const tenantId of await tenantsIn(directory))
        for (const role of unitRoles)
          await withArchive(tenantId, role, (archive) => archive.removeBefore(time.getTime()));
    },

    /** Removes a tenant's logs. */
    async remove(tenantId: string): Promise<void> {
      for (const role of unitRoles) {
        const path = pathOf(tenantId, role);
        await locks.run(path, async () => void archives.delete(path));
      }
      await rm(join(directory, tenantId), { recursive: true, force: true });
    },

    /** Removes the logs of all tenants but these. */
    async removeExcept(isKnown: (tenantId: string) => Promise<boolean>): Promise<void> {
      for (const tenantId of await tenantsIn(directory)) {
        if (!(await isKnown(tenantId))) await this.remove(tenantId);
      }
    },
  };
}

export type LogKeeper = ReturnType<typeof createLogKeeper>;

const tenantsIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

/** The last lines in generations' directories, of which the latest comes first; the oldest line first. */
export async function lastLinesIn(directories: readonly string[], count: number): Promise<KeptLine[]> {
  const found: string[] = [];
  for await (const text of latestTexts(directories)) {
    found.push(...text.split('\n').slice(0, -1).reverse());
    if (found.length >= count) break;
  }
  return found.slice(0, count).reverse().map(decodeLine);
}

/** The text of each frame, the latest first. */
async function* latestTexts(directories: readonly string[]): AsyncGenerator<string> {
  for (const directory of directories) {
    for (const number of (await segmentsIn(directory)).reverse()) {
      const file = await open(join(directory, segmentName(number)), 'r');
      try {
        for (const frame of (await framesIn(file)).frames.toReversed())
          yield (await textOf(file, frame)).toString('utf8');
      } finally {
        await file.close();
      }
    }
  }
}
