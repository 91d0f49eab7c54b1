import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCutOffWrites, writeFileAtomic } from '../../../lib/files/atomic-file.ts';

const ending = '.png';

/** Screenshots of websites, a PNG file an analysis. */
export interface Screenshots {
  path(analysisId: string): string;
  write(analysisId: string, png: Uint8Array): Promise<void>;
  /** Undefined where there is none. */
  read(analysisId: string): Promise<Uint8Array | undefined>;
  remove(analysisId: string): Promise<void>;
  /** Removes what writes of an earlier manager left. */
  removeCutOff(): Promise<void>;
  /** The analyses that have one. */
  ids(): Promise<string[]>;
}

export function createScreenshots(directory: string): Screenshots {
  const path = (id: string): string => join(directory, id + ending);
  return {
    path,
    write: (id, png) => writeFileAtomic(path(id), png),
    read: (id) => readFile(path(id)).catch(() => undefined),
    remove: (id) => rm(path(id), { force: true }),
    removeCutOff: () => removeCutOffWrites(directory),
    async ids() {
      const names = await readdir(directory).catch(() => []);
      return names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
    },
  };
}
