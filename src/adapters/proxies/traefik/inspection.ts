import { access, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { collisions } from './collisions.ts';
import { type ParsedFile, parseFile } from './parse-file.ts';

/** A problem in the directory. */
export interface Finding {
  /** The affected files. */
  paths: string[];
  /** While it exists, Traefik loads no changes at all. */
  blocksAll: boolean;
  text: string;
}

interface Entry {
  /** Changes with every change of the file. */
  stamp: string;
  file: ParsedFile;
}

/** Checks all files that Traefik reads; unchanged ones are not parsed again. */
export class Inspection {
  readonly #sites: string;
  #read = new Map<string, Entry>();

  constructor({ sites }: { sites: string }) {
    this.#sites = sites;
  }

  /** In Traefik's reading order, with subdirectories. */
  async files(): Promise<ParsedFile[]> {
    const read = new Map<string, Entry>();
    for (const name of (await readdir(this.#sites, { recursive: true })).sort()) {
      if (!/\.(ya?ml|toml)$/i.test(name)) continue;
      const path = join(this.#sites, name);
      const entry = await this.#entry(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (entry) read.set(path, entry);
    }
    this.#read = read;
    return [...read.values()].map(({ file }) => file);
  }

  async #entry(path: string): Promise<Entry | undefined> {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    const { ino, size, mtimeNs, ctimeNs } = found;
    const stamp = [ino, size, mtimeNs, ctimeNs].join();
    const known = this.#read.get(path);
    return known?.stamp === stamp ? known : { stamp, file: parseFile(path, await readFile(path, 'utf8')) };
  }
}

/** The problems of these files, alone and together, and of the certificates they name. */
export async function findingsOf(files: readonly ParsedFile[]): Promise<Finding[]> {
  const alone = files.flatMap((file) =>
    file.kind === 'wrong' || file.kind === 'unreadable'
      ? file.problems.map((problem) => ({
          paths: [file.path],
          blocksAll: file.kind === 'unreadable',
          text: `${file.path}: ${problem}`,
        }))
      : [],
  );
  const together = collisions(files).map((collision) => ({ ...collision, blocksAll: false }));
  return [...alone, ...together, ...(await missingCertificates(files))];
}

/** Traefik would serve a generated certificate instead. */
async function missingCertificates(files: readonly ParsedFile[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const file of files) {
    if (file.kind !== 'site') continue;
    const paths = (file.config.tls?.certificates ?? []).flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
    for (const path of paths) {
      const there = await access(path).then(
        () => true,
        () => false,
      );
      const text = `${file.path}: tls.certificates: there is no file ${path}`;
      if (!there) findings.push({ paths: [file.path], blocksAll: false, text });
    }
  }
  return findings;
}
