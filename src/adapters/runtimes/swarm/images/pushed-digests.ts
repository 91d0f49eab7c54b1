import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { mkdir, rm } from '../../../../lib/files/changes.ts';
import { type UnitRole, unitRoles } from '../../runtime.ts';

/**
 * The digests of the images that managers of one space pushed: `<storage>/.images-<space>/<key>-<role>`. Nodes run these, whatever
 * the registry has under a tag by now.
 */
export function createPushedDigests(storage: string, space: string) {
  const directory = join(storage, `.images-${space}`);
  const fileOf = (role: UnitRole, key: string): string => join(directory, `${key}-${role}`);

  return {
    /** undefined: that image was never pushed. */
    async of(role: UnitRole, key: string): Promise<string | undefined> {
      return readFile(fileOf(role, key), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return undefined;
      });
    },

    /** @throws Error where the storage is not mounted */
    async remember(role: UnitRole, key: string, digest: string): Promise<void> {
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      await writeFileAtomic(fileOf(role, key), digest);
    },

    /** Forgets every release except these. */
    async keepOnly(keys: ReadonlySet<string>): Promise<void> {
      const kept = new Set([...keys].flatMap((key) => unitRoles.map((role) => `${key}-${role}`)));
      const names = await readdir(directory).catch((): string[] => []);
      for (const name of names) if (!kept.has(name)) await rm(join(directory, name), { force: true });
    },
  };
}
