import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { adminPassword } from '../../harness/app/app.ts';
import { makeManagerProcess } from '../../harness/app/manager-process.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-rest-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const packageOf = (path: string): string | undefined => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/** What other stores, runtimes and proxies need, and what only some operations do. */
const notNeeded = [
  ...['mysql2'],
  ...['dockerode', 'docker-modem', 'ssh2', '@grpc/grpc-js', 'protobufjs'],
  ...['undici', 'yaml', 'acme-client', '@peculiar/x509', '@aws-sdk/client-s3', 'openai'],
  ...['execa', 'culori', 'htmlparser2', 'css-tree', 'sharp', 'playwright-core'],
  ...['xlsx', 'csv-parse', 'fast-csv', 'saxes', 'libphonenumber-js', 'socket.io', 'engine.io', 'ws'],
];

test('a manager on SQLite without tenants loads no other database, engine, proxy or file format', async () => {
  const list = join(directory, 'modules');
  const hook = join(root, 'test', 'harness', 'app', 'list-modules.mjs');
  const manager = await makeManagerProcess({ NODE_OPTIONS: `--import=${hook}`, MODULE_LIST: list });
  try {
    // The first start creates the schema.
    for (let starts = 0; starts < 2; starts += 1) {
      await manager.start();
      expect(await manager.stop()).toBe(0);
    }
  } finally {
    await manager.remove();
  }
  const modules = (await readFile(list, 'utf8')).split('\n');
  const loaded = new Set(modules.map(packageOf));
  expect([...loaded]).toEqual(expect.arrayContaining(['better-sqlite3', 'express', 'retry-as-promised', 'sequelize']));
  expect(notNeeded.filter((name) => loaded.has(name))).toEqual([]);
  // An import from 'node:http' would load it.
  expect(modules.filter((name) => name.endsWith('deps/undici/undici'))).toEqual([]);
});

/** Starts the manager as `npm start` does. */
function start(environment: Record<string, string>) {
  const child = spawn(join(root, 'scripts', 'start.sh'), {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DASHBOARD_PORT: '0',
      RUNTIME: 'process',
      DATA_DIR: join(directory, 'data'),
      ADMIN_PASSWORD: adminPassword,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let said = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
      if (said.includes('Tenantry is ready')) ready.resolve();
    });
  void ended.then(() => ready.reject(new Error(said)));
  ready.promise.catch(() => undefined);
  return { child, ended, ready: ready.promise, said: () => said };
}

test('the started process becomes the manager: no other stays, and SIGTERM and its exit code pass', async () => {
  const { child, ended, ready } = start({});
  await ready;
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  const own = processes.find(([pid]) => pid === String(child.pid));
  expect(own?.slice(2)).toEqual(['node', 'src/main.ts']);
  expect(processes.filter(([, parent]) => parent === String(child.pid))).toEqual([]);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('a start that can’t succeed ends with code 1 and names the variable', async () => {
  const { ended, said } = start({ PORT: 'eighty' });
  expect(await ended).toBe(1);
  expect(said()).toContain('PORT');
});
