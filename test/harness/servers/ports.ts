import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const firstPort = 10_000;
/** Ports of a pool. */
const width = 200;
/** So many lie below the system's ephemeral ports. */
const pools = 110;

/**
 * A port pool of this process' own: managers of suites that run side by side, in this run or another one, must not give out the same
 * ports. Whoever has one holds a file that names its process; a dead one's is anybody's.
 */
export function portPool(): { PORT_POOL_START: string; PORT_POOL_END: string } {
  const directory = join(tmpdir(), 'tenantry-test-ports');
  mkdirSync(directory, { recursive: true });
  for (let tried = 0; tried < pools; tried += 1) {
    // The same order for each suite of a process, so that it finds its own again.
    const pool = (process.pid + tried) % pools;
    if (!claim(join(directory, String(pool)))) continue;
    const start = firstPort + pool * width;
    return { PORT_POOL_START: String(start), PORT_POOL_END: String(start + width - 1) };
  }
  throw new Error(`All port pools for tests are claimed: ${directory}`);
}

function claim(path: string): boolean {
  const holder = holderOf(path);
  if (holder === process.pid) return true;
  if (holder !== undefined && isAlive(holder)) return false;
  if (holder !== undefined) rmSync(path, { force: true });
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
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

/** A port nobody listens on, now. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
