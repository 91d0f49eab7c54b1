import { type FileHandle, stat } from 'node:fs/promises';
import { open } from '../../../../../lib/files/changes.ts';

const blockBytes = 64 * 1024;
const newline = 0x0a;

/** Size of a file in bytes; 0 if it is missing. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(ignoreMissing))?.size ?? 0;
}

/** At most `length` bytes from an offset; none at the end, or of a missing file. */
export async function readAt(path: string, offset: number, length: number): Promise<Uint8Array> {
  return (await withFile(path, (file) => readBlock(file, offset, length))) ?? new Uint8Array();
}

/**
 * The offset of the last `lines` lines of a file, found from its end in blocks, and the number of lines from there on (fewer
 * than requested for a short file). An unfinished last line counts.
 */
export async function startOfLastLines(path: string, lines: number): Promise<{ offset: number; found: number }> {
  const answer = await withFile(path, async (file) => {
    const { size } = await file.stat();
    if (lines <= 0 || size === 0) return { offset: size, found: 0 };
    // The newline at the end of the file starts no further line.
    let end = (await readBlock(file, size - 1, 1))[0] === newline ? size - 1 : size;
    let found = 0;
    while (end > 0) {
      const start = Math.max(0, end - blockBytes);
      const block = await readBlock(file, start, end - start);
      for (let at = block.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(newline, at - 1)) {
        found += 1;
        if (found === lines) return { offset: start + at + 1, found };
      }
      end = start;
    }
    return { offset: 0, found: found + 1 };
  });
  return answer ?? { offset: 0, found: 0 };
}

async function readBlock(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await open(path, 'r').catch(ignoreMissing);
  if (!file) return undefined;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
