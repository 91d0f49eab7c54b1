import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Above 10080, the last port that `fetch` refuses (the fetch standard's "bad ports"). */
const firstPort = 10_200;
/** Ports of a pool. */
const width = 200;
/** This number is below the system's ephemeral ports. */
const pools = 110;

/** This process' own port pool for its managers. */
export function portPool(): { PORT_POOL_START: string; PORT_POOL_END: string } {
  const start = claimPool('managers');
  return { PORT_POOL_START: String(start), PORT_POOL_END: String(start + width - 1) };
}

/**
 * The first port of a pool that no other process of this run or another one uses, so that concurrent suites never
 * assign the same port. A file names the process and purpose that hold a pool; the pool of a dead process is free.
 */
function claimPool(purpose: 'managers' | 'single ports'): number {
  const directory = join(tmpdir(), 'tenantry-test-ports');
  mkdirSync(directory, { recursive: true });
  for (let tried = 0; tried < pools; tried += 1) {
    // The same order for each suite of a process, so that it finds its own again.
    const pool = (process.pid + tried) % pools;
    if (claim(join(directory, String(pool)), `${process.pid} ${purpose}`)) return firstPort + pool * width;
  }
  throw new Error(`All port pools for tests are claimed: ${directory}`);
}

function claim(path: string, owner: string): boolean {
  const holder = holderOf(path);
  if (holder === owner) return true;
  if (holder !== undefined && isAlive(Number.parseInt(holder, 10) || 0)) return false;
  if (holder !== undefined) rmSync(path, { force: true });
  try {
    writeFileSync(path, owner, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    // 0: it is being written just now.
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

let lastPort = 0;

/** This process' own port without a listener; assigned again only after all others of its pool. */
export async function freePort(): Promise<number> {
  const start = claimPool('single ports');
  for (let tried = 0; tried < width; tried += 1) {
    lastPort = lastPort < start || lastPort === start + width - 1 ? start : lastPort + 1;
    if (await isFree(lastPort)) return lastPort;
  }
  throw new Error(`Something listens on every port from ${start} to ${start + width - 1}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
