import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { diskUsage } from '../../src/features/health/system/disk-usage.ts';
import { type App, startApp } from '../harness/app/app.ts';
import { makeTenant } from '../harness/data/tenants.ts';

let app: App;
beforeAll(async () => {
  app = await startApp({ environment: { METRICS_TOKEN: 'a token for the figures' } });
});
afterAll(() => app.stop());

interface Disk {
  directory: string;
  free_bytes: number;
  total_bytes: number;
  needed_bytes: number;
  engine_disks: object[];
  build_cache_bytes: number | null;
  parts: { name: string; bytes: number }[];
}

test('reports versions, engine, database, tenants and work', async () => {
  await makeTenant(app, undefined);
  const { body, status } = await app.call<{ store: object; started_at: string }>('GET', '/api/system');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    runtime: { kind: 'process', available: true, move_from: null },
    store: {
      dialect: 'sqlite',
      version: expect.stringMatching(/^3\./),
      size_bytes: expect.any(Number),
      schema: expect.stringMatching(/^baseline-/),
    },
    tenants: { total: 1, by_status: { pending: 1, running: 0 }, running_by_health: { unhealthy: 0 } },
    operations: { queued: 0, running: 0 },
    imports: { queued: 0, running: 0 },
    storage: null,
    warnings: [],
    metrics_token: true,
  });
  expect(Date.parse(body.started_at)).toBeLessThanOrEqual(Date.now());
  expect(JSON.stringify(body)).not.toContain('a token for the figures');
});

test('reports the disk usage', async () => {
  await mkdir(join(app.directory, 'data', 'backups'), { recursive: true });
  await writeFile(join(app.directory, 'data', 'backups', 'one.tar'), Buffer.alloc(300_000, 1));
  const { body, status } = await app.call<Disk>('GET', '/api/system/disk');
  expect(status).toBe(200);
  expect(body.directory).toBe(join(app.directory, 'data'));
  expect(body.free_bytes).toBeGreaterThan(0);
  expect(body.total_bytes).toBeGreaterThan(body.free_bytes);
  expect(body.engine_disks).toEqual([]);
  expect(body.build_cache_bytes).toBeNull();
  const bytesOf = (name: string): number => body.parts.find((part) => part.name === name)?.bytes ?? 0;
  expect(bytesOf('backups')).toBeGreaterThanOrEqual(300_000);
  expect(bytesOf('store')).toBeGreaterThan(0);
  expect(body.parts.map(({ bytes }) => bytes)).toEqual(body.parts.map(({ bytes }) => bytes).toSorted((a, b) => b - a));
});

test('an export of the list adds no more listeners to its answer than Node.js allows', async () => {
  const warn = jest.spyOn(process, 'emitWarning');
  await makeTenant(app, undefined);
  const { status, body } = await app.call('POST', '/api/tenants/export', { body: {} });
  expect([status, body.text]).toEqual([200, expect.stringMatching(/^name,slug,.+\r\nTenant /)]);
  expect(warn.mock.calls.map(String)).toEqual([]);
  warn.mockRestore();
});

test('the scan finds releases among other files of a runtime, and follows no malicious names', async () => {
  const directory = join(app.directory, 'walk');
  for (const name of ['process/releases/one', 'process/tenants/two', 'imports', '--files0-from=x'])
    await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, 'process/releases/one/big'), Buffer.alloc(200_000, 1));
  await writeFile(join(directory, 'process/tenants/two/small'), Buffer.alloc(20_000, 1));
  const found = await diskUsage(directory);
  expect(found.map(({ name }) => name)).toEqual(['releases', 'other', 'imports']);
  expect(found[0]?.bytes).toBeGreaterThanOrEqual(200_000);
  expect(found[1]?.bytes).toBeLessThan(100_000);
  await rm(directory, { recursive: true });
  await mkdir(directory);
  expect(await diskUsage(directory)).toEqual([]);
});

test('has no nodes where the runtime has one host', async () => {
  expect(await app.call('GET', '/api/system/nodes')).toMatchObject({ status: 200, body: { nodes: [] } });
  const drained = await app.call('POST', '/api/system/nodes/one/drain');
  expect(drained).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
});
