import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mkdir, rm, writeFile } from '../../../../lib/files/changes.ts';
import { siteFileNames } from '../../site-files.ts';
import type { NginxProgram } from '../nginx-program.ts';
import type { Layout } from '../options.ts';
import { type MainConfig, withSites } from './main-config.ts';

/** A proposed site: with this text, or removed. */
export interface Proposal {
  slug: string;
  /** null: removes the site. */
  text: string | null;
}

const mainPrefix = '.tenantry-candidate-';

/**
 * Has nginx test the whole proposed configuration before any file is replaced: the proposed files have temporary names, and a
 * copy of the main configuration names them among the files in service. The copy is next to the main configuration because
 * nginx resolves relative paths from there. nginx's messages get the real paths.
 * @throws AppError proxy_unavailable; the file system's error when there is no space for the candidate
 */
export async function testCandidate(
  layout: Layout,
  program: NginxProgram,
  main: MainConfig,
  proposals: readonly Proposal[],
): Promise<{ valid: boolean; output: string }> {
  const id = randomBytes(6).toString('hex');
  const directory = join(layout.candidates, id);
  const candidateMain = join(dirname(layout.mainConfig), `${mainPrefix}${id}.conf`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = new Map((await siteFileNames(layout)).map((name) => [name, join(layout.sites, name)]));
    for (const { slug, text } of proposals) {
      const name = `${slug}.conf`;
      if (text === null) {
        files.delete(name);
        continue;
      }
      files.set(name, join(directory, name));
      await writeFile(join(directory, name), text);
    }
    const inOrder = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, path]) => path);
    await writeFile(candidateMain, withSites(main, inOrder), { mode: 0o600 });
    const { valid, output } = await program.test(candidateMain);
    return {
      valid,
      output: output.replaceAll(directory, layout.sites).replaceAll(candidateMain, layout.mainConfig),
    };
  } finally {
    await rm(candidateMain, { force: true });
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes candidates that a crash left. */
export async function clearCandidates(layout: Layout): Promise<void> {
  await rm(layout.candidates, { recursive: true, force: true });
  for (const name of await readdir(dirname(layout.mainConfig)).catch(() => [])) {
    if (name.startsWith(mainPrefix)) await rm(join(dirname(layout.mainConfig), name), { force: true });
  }
}
