import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { adminPassword } from '../../harness/app/app.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-fatal-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Starts a real manager, causes an error in it, and returns its exit and last output. */
async function endBy(statement: string): Promise<{ code: number | null; last: Record<string, unknown>; said: string }> {
  // Loaded into the manager's process: fails there on a signal.
  const wrong = join(directory, 'wrong.mjs');
  await writeFile(wrong, `process.on('SIGUSR2', () => { ${statement} });\n`);
  const manager = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DASHBOARD_PORT: '0',
      RUNTIME: 'process',
      DATA_DIR: join(directory, 'data'),
      ADMIN_PASSWORD: adminPassword,
      SWARM_REGISTRY_USER: 'tenantry',
      SWARM_REGISTRY_PASSWORD: 'registry-pass',
      NODE_OPTIONS: `--import=${wrong}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [manager.stdout, manager.stderr])
    stream.on('data', (text) => {
      said += text;
      if (said.includes('Tenantry is ready')) ready.resolve();
    });
  const ended = once(manager, 'close');
  ended.then(() => ready.reject(new Error(said)));
  await ready.promise;
  manager.kill('SIGUSR2');
  const [code] = await ended;
  return { code, last: JSON.parse(said.trim().split('\n').at(-1) ?? ''), said };
}

const fatal = { level: 60, msg: 'an unhandled error ends the manager' };

test('logs an uncaught error without secrets, and the manager exits with code 1', async () => {
  const error = `Object.assign(new Error('no answer from mysql://root:s3cret-pass@db/x with ${adminPassword} and registry-pass'), { code: 'EODD', sql: 'SET PASSWORD s3cret-pass' })`;
  const { code, last, said } = await endBy(`throw ${error}`);
  expect(code).toBe(1);
  const message = 'no answer from mysql://***hidden***@db/x with ***hidden*** and ***hidden***';
  expect(last).toMatchObject({ ...fatal, origin: 'uncaughtException', message, code: 'EODD' });
  expect(last.stack).toContain('at process.');
  expect(said).not.toMatch(/s3cret-pass|registry-pass|violet horse/);
});

test('an unhandled rejection is logged and ends it as well', async () => {
  const { code, last } = await endBy(`Promise.reject(new Error('nobody waits', { cause: new Error('for this') }))`);
  expect(code).toBe(1);
  expect(last).toMatchObject({ ...fatal, origin: 'unhandledRejection', message: 'nobody waits', cause: 'for this' });
});
