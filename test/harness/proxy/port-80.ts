import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { holdFileLock } from '../../../src/lib/files/file-lock.ts';
import { patienceMs } from '../patience.ts';

const hostsFile = '/etc/hosts';
const mark = '# tenantry-test';

interface Port80 {
  /** Points names at this machine, until `release`. A program that has read /etc/hosts may not see them for 5 s. */
  pointHere(names: readonly string[]): Promise<void>;
  /** Removes the names again and releases the port for the next test. */
  release(): Promise<void>;
}

/**
 * Port 80 of this machine, for one test file at a time, over all workers and runs: an authority requests HTTP-01
 * answers only there. The file that holds it may listen on it and may have names in /etc/hosts.
 * @throws when another
 * program listens on it, or when other tests keep it for more than four minutes
 */
export async function claimPort80(): Promise<Port80> {
  const path = join(tmpdir(), 'tenantry-test-port-80.lock');
  const lock = await poll(() => holdFileLock(path), { timeoutMs: patienceMs, intervalMs: 200 });
  if (!lock) throw new Error(`Port 80 was not let go by another test for four minutes (${path})`);
  try {
    await forgetNames();
    await canListen();
  } catch (error) {
    await lock.release();
    throw error;
  }
  return {
    pointHere: (names) => addNames(names),
    async release() {
      try {
        await forgetNames();
      } finally {
        await lock.release();
      }
    },
  };
}

async function canListen(): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new Error(
          `This test needs port 80 of this machine, which another program holds or which only root may take: ${error.message}`,
          {
            cause: error,
          },
        ),
      ),
    );
    server.listen(80, '0.0.0.0', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/** In place, not by renaming: in a container /etc/hosts is a mount. */
async function addNames(names: readonly string[]): Promise<void> {
  const text = await readFile(hostsFile, 'utf8');
  const own = names.map((name) => `127.0.0.1 ${name} ${mark}\n`).join('');
  await writeFile(hostsFile, `${text}${text.endsWith('\n') ? '' : '\n'}${own}`);
}

/** Also those of an interrupted run. */
async function forgetNames(): Promise<void> {
  const text = await readFile(hostsFile, 'utf8');
  const kept = text.split('\n').filter((line) => !line.endsWith(mark));
  if (kept.length < text.split('\n').length) await writeFile(hostsFile, kept.join('\n'));
}
