import { readdirSync, readlinkSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';

/** The owner of a port of this machine. */
export interface PortHolder {
  /** For users: `process nginx (pid 812)`. */
  name: string;
  /** The tenant whose unit it is; null: none, or unknown. */
  slug: string | null;
}

/** Names a port's owner for users, with the tenant if it is one's unit. */
export const nameOfHolder = ({ name, slug }: PortHolder): string => (slug === null ? name : `tenant ${slug}, ${name}`);

/** Every unit has it in its environment. */
const slugEntry = 'TENANT_SLUG=';

/** TCP_LISTEN in the kernel's tables. */
const listening = '0A';

/** The process that listens on a TCP port of this machine; undefined when there is none, or it is not visible. Linux only. */
export async function processOnPort(port: number): Promise<PortHolder | undefined> {
  const inodes = new Set((await Promise.all(['tcp', 'tcp6'].map((table) => inodesOf(table, port)))).flat());
  if (inodes.size === 0) return undefined;
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    if (holdsAny(pid, inodes)) return holderOf(pid);
    await others();
  }
  return undefined;
}

async function inodesOf(table: string, port: number): Promise<string[]> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = (await readIfThere(`/proc/net/${table}`)).split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === listening && local.endsWith(`:${hex}`) && inode ? [inode] : [];
  });
}

/** Synchronous: the kernel answers within microseconds, and thousands of promises take four times the processor time. */
function holdsAny(pid: string, inodes: ReadonlySet<string>): boolean {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).some((descriptor) => {
      const target = targetOf(`${directory}/${descriptor}`);
      return target.startsWith('socket:[') && inodes.has(target.slice('socket:['.length, -1));
    });
  } catch {
    return false;
  }
}

/** A descriptor can be closed at any moment. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

async function holderOf(pid: string): Promise<PortHolder> {
  // Not its `comm`: Node's is MainThread.
  const program = basename(await readlink(`/proc/${pid}/exe`).catch(() => 'unknown'));
  const environment = (await readIfThere(`/proc/${pid}/environ`)).split('\0');
  const slug = environment.find((entry) => entry.startsWith(slugEntry))?.slice(slugEntry.length) ?? null;
  return { name: `process ${program} (pid ${pid})`, slug };
}

/** A process can end, or belong to another user, at any moment: then there is nothing to read. */
const readIfThere = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
