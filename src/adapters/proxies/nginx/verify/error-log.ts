import { stat } from 'node:fs/promises';
import { open } from '../../../../lib/files/changes.ts';

const tailBytes = 16 * 1024;
const shownLines = 5;

/** Remembers the end of nginx's error log, to read later what nginx has logged since. */
export async function watchErrorLog(path: string | undefined): Promise<{ since(): Promise<string[]> }> {
  const before = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !before?.isFile()) return { since: async () => [] };
  return {
    /** The last serious lines since then; none if the log can't be read. */
    since: async () => seriousLines(await readFrom(path, before.size).catch(() => '')),
  };
}

async function readFrom(path: string, offset: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    // A shorter file is a new one.
    const from = Math.max(size < offset ? 0 : offset, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, from);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

/** A single failed request is an `error`; what affects nginx itself is more serious. */
const seriousLines = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /\[(emerg|alert|crit)\]/.test(line))
    .slice(-shownLines);
