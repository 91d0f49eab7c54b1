import { Readable } from 'node:stream';
import { type PackOptions, pack } from 'tar-fs';
import type { Owner } from './image-user.ts';

/**
 * A tar of some entries of a directory, packed while it is read, so memory use is small. Modes are 0755 and 0644 as in git,
 * independent of this process' umask.
 */
export function archiveOf(
  directory: string,
  options: { entries: string[]; owner: Owner; ignore?: (path: string) => boolean },
): Readable {
  const { entries, owner, ignore } = options;
  const packOptions: PackOptions = {
    entries,
    map: (header) => ({
      ...header,
      uid: owner.uid,
      gid: owner.gid,
      mode: header.type === 'directory' || header.mode & 0o100 ? 0o755 : 0o644,
    }),
    ...(ignore ? { ignore } : {}),
  };
  // Read through an iterator, so that an error while packing (a file disappeared) reaches the reader.
  return Readable.from(pack(directory, packOptions), { objectMode: false });
}
