import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createSharedWork } from '../../../lib/concurrency/shared-work.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { rm } from '../../../lib/files/changes.ts';
import type { ReleaseRequest } from '../runtime.ts';

/** Written when a release is ready. Distinguishes the checkout from a later one at the same path. */
const Marker = z.object({ checkout: z.string(), made: z.string() });

interface Install {
  exitCode: number | null;
  /** The end of its output. */
  output: string;
}

/** What a system does for a release, in this order. */
export interface ReleaseSteps {
  /** Inspects a checkout before its install line changes it. */
  begin?(request: ReleaseRequest): Promise<void>;
  /** Forgets what `begin` recorded of all releases but these. */
  forgetExcept?(keys: ReadonlySet<string>): Promise<void>;
  /** Runs the repository's install line in the checkout. */
  install(request: ReleaseRequest & { install: string }, work: Work): Promise<Install>;
  /** Prepares a checkout further for its units, after the install. */
  finish?(request: ReleaseRequest, work: Work): Promise<void>;
}

/** @param directory holds the marker files */
export function createReleases(directory: string, steps: ReleaseSteps) {
  const preparations = createSharedWork();
  const markerFile = (key: string): string => {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(key)) throw new Error(`Not a release key: ${key}`);
    return join(directory, key);
  };

  async function isReady(key: string, checkout?: string): Promise<boolean> {
    const marker = await readMarker(markerFile(key));
    if (!marker || (checkout !== undefined && marker.checkout !== checkout)) return false;
    return (await whenMade(marker.checkout)) === marker.made;
  }

  async function prepare(request: ReleaseRequest, work: Work): Promise<void> {
    const { key, checkout, install } = request;
    if (await isReady(key, checkout)) return;
    await rm(markerFile(key), { force: true });
    if ((await whenMade(checkout)) === undefined) throw new Error(`There is no checkout at ${checkout}`);
    await steps.begin?.(request);
    if (install !== undefined) {
      work.log(`Installing dependencies: ${install}`);
      const { exitCode, output } = await steps.install({ ...request, install }, work);
      if (exitCode !== 0)
        throw new Error(`The install line ended with exit code ${exitCode ?? 'none (killed)'}: ${lastLines(output)}`);
    }
    await steps.finish?.(request, work);
    work.signal.throwIfAborted();
    await writeFileAtomic(markerFile(key), JSON.stringify({ checkout, made: await whenMade(checkout) }));
  }

  return {
    prepare: (request: ReleaseRequest, work: Work) =>
      preparations.run(request.key, work, (shared) => prepare(request, shared)),
    has: (key: string) => isReady(key),
    /** Returns the removed keys. The checkouts themselves belong to their creator. */
    async removeExcept(keys: ReadonlySet<string>) {
      const names = await readdir(directory).catch((): string[] => []);
      const removed = names.filter((name) => !keys.has(name) && !name.endsWith('.tmp'));
      for (const key of removed) await rm(markerFile(key), { force: true });
      await steps.forgetExcept?.(keys);
      return removed;
    },
  };
}

/** An unreadable marker counts as none: the worst case is another install. */
async function readMarker(path: string): Promise<z.infer<typeof Marker> | undefined> {
  try {
    return Marker.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** When and as which inode the directory was created: writing into it does not change that. */
async function whenMade(checkout: string): Promise<string | undefined> {
  const found = await stat(checkout).catch(() => undefined);
  return found?.isDirectory() ? `${found.ino}:${found.birthtimeMs}` : undefined;
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-5).join('\n').slice(-1_000);
}
