import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { withConnection } from '../../../src/adapters/databases/mariadb/connection.ts';
import { openS3 } from '../../../src/adapters/object-store/s3.ts';
import { callDocker } from '../../../src/adapters/runtimes/engine/client/errors.ts';
import { launchProcess } from '../../../src/adapters/runtimes/recorded/process/units/unit-process.ts';
import { createRegistryClient } from '../../../src/adapters/runtimes/swarm/images/registry-client.ts';
import { createTransport } from '../../../src/adapters/tenant-api/transport.ts';
import { actingDeadline, createActingDeadline, sinceBootMs } from '../../../src/lib/concurrency/acting-deadline.ts';
import { writeFileAtomic } from '../../../src/lib/files/atomic-file.ts';
import * as changes from '../../../src/lib/files/changes.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { runProgram, streamProgram } from '../../../src/lib/spawn.ts';
import { MessageFile } from '../../../src/lib/streams/message-file.ts';
import { patienceMs } from '../../harness/patience.ts';

let directory: string;
let server: Server;
let requests = 0;
let missed = 0;
let port = 0;

beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-deadline-'));
  [requests, missed] = [0, 0];
});
afterEach(async () => {
  actingDeadline.clear();
  await rm(directory, { recursive: true, force: true });
});
afterAll(() => void server.close());

test('is missed after its time, unless it was extended or cleared', () => {
  let now = 1_000;
  const deadline = createActingDeadline(() => now);
  const onMissed = () => {
    throw new Error('missed');
  };
  deadline.check();
  deadline.extend(11_000, onMissed);
  now = 11_000;
  deadline.check();
  now = 11_001;
  expect(deadline.check).toThrow('missed');
  deadline.extend(21_000, onMissed);
  deadline.check();
  now = 30_000;
  expect(deadline.check).toThrow('missed');
  deadline.clear();
  deadline.check();
});

const { signal } = new AbortController();
const work: [what: string, work: () => Promise<unknown>][] = [
  ['a program', () => runProgram('touch', [join(directory, 'late')], { env: {} })],
  [
    'a program with streams',
    async () => {
      for await (const _ of streamProgram('touch', [join(directory, 'late')], { env: {}, signal }).output);
    },
  ],
  [
    'a process of a tenant',
    () => launchProcess({ line: `touch ${directory}/late`, cwd: directory, environment: {}, logDescriptor: 2 }),
  ],
  ['a file', () => writeFileAtomic(join(directory, 'late'), 'late')],
  ['a copy of a file', async () => changes.copyFile(import.meta.filename, join(directory, 'late'))],
  ['a move', async () => changes.rename(directory, join(directory, '..', 'late'))],
  ['a removal', async () => changes.rm(directory, { recursive: true })],
  ['a stream to a file', async () => changes.createWriteStream(join(directory, 'late'))],
  ['a stream’s file', () => new MessageFile(join(directory, 'late')).append([{ seq: 1, json: '{}' }])],
  ['a request to the engine', () => callDocker(() => fetch(`http://127.0.0.1:${port}`))],
  ['a request to a tenant', () => createTransport().call(address(), { path: '/', timeoutMs: patienceMs, maxBytes: 1 })],
  ['a request to a registry', () => registry().removeTag('repository', 'tag')],
  ['a change of a bucket', () => bucket().remove('key', signal)],
  [
    'a statement in a tenant’s database',
    () => withConnection({ ...address(), user: '', password: '' }, { timeoutMs: patienceMs }, (query) => query('DROP')),
  ],
];

const address = () => ({ host: '127.0.0.1', port });
const registry = () => createRegistryClient({ address: `127.0.0.1:${port}` }, createLogger({ level: 'silent' }));
const bucket = () =>
  openS3(
    { endpoint: `http://127.0.0.1:${port}`, region: 'x', bucket: 'bucket' },
    { accessKey: 'key', secretKey: 'secret' },
  );

test.each(work)('after it, %s does not start', async (_, start) => {
  actingDeadline.extend(sinceBootMs() - 1, () => {
    missed += 1;
    throw new Error('missed');
  });
  await expect(start()).rejects.toThrow();
  expect([missed > 0, requests, (await readdir(directory)).includes('late')]).toEqual([true, 0, false]);
});

test('a thread that follows the deadline sees each change of it', () => {
  let [now, ends] = [1_000, 0];
  const [manager, thread] = [createActingDeadline(() => now), createActingDeadline(() => now)];
  const end = (): never => {
    ends += 1;
    return undefined as never;
  };
  thread.follow(manager.shared, end);
  thread.check();
  manager.extend(2_000, end);
  now = 2_001;
  thread.check();
  expect(ends).toBe(1);
  manager.extend(3_000, end);
  thread.check();
  manager.clear();
  now = 4_000;
  thread.check();
  expect(ends).toBe(1);
});
