import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import fc from 'fast-check';
import request from 'supertest';
import type { Store } from '../../../src/adapters/store/store.ts';
import { freePairs, nextFreePair, pairsOf, partnerOf } from '../../../src/features/ports/allocate.ts';
import { ephemeralWarning, readEphemeralPorts } from '../../../src/features/ports/ephemeral.ts';
import { createHostPortProbe } from '../../../src/features/ports/host-ports.ts';
import { createPorts, type Ports, portRoutes } from '../../../src/features/ports/ports.ts';
import { errorMiddleware } from '../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { eachStore } from '../../harness/servers/mariadb.ts';

describe('allocation', () => {
  test('pairs start at the start of the pool, odd or even; a single last port is not used', () => {
    expect([...pairsOf({ start: 32_301, end: 32_305 })]).toEqual([
      { frontend: 32_301, backend: 32_302 },
      { frontend: 32_303, backend: 32_304 },
    ]);
    expect([...pairsOf({ start: 10, end: 10 })]).toEqual([]);
  });

  test('skips a pair with a taken port; returns undefined if none is left', () => {
    const pool = { start: 100, end: 105 };
    expect(nextFreePair(pool, new Set([101, 102]))).toEqual({ frontend: 104, backend: 105 });
    expect(nextFreePair(pool, new Set([101, 102, 104]))).toBeUndefined();
  });

  test('a free pair is always a complete, unused pair of the pool', () => {
    const ports = fc.integer({ min: 2_000, max: 2_060 });
    fc.assert(
      fc.property(ports, ports, fc.uniqueArray(ports), (start, end, used) => {
        const taken = new Set(used);
        for (const pair of freePairs({ start, end }, taken)) {
          expect(pair.backend).toBe(pair.frontend + 1);
          expect((pair.frontend - start) % 2).toBe(0);
          expect(pair.frontend >= start && pair.backend <= end).toBe(true);
          expect(taken.has(pair.frontend) || taken.has(pair.backend)).toBe(false);
        }
      }),
    );
  });

  test.each([
    [32_301, 'frontend', 32_302],
    [32_302, 'frontend', 32_301],
    [32_304, 'backend', 32_303],
    // The pool's last port has no partner; the partner of a port outside the pool depends on the role.
    [32_305, 'frontend', 32_306],
    [40_000, 'frontend', 40_001],
    [40_000, 'backend', 39_999],
  ] as const)('the other port of %i as %s is %i', (port, role, partner) => {
    expect(partnerOf({ start: 32_301, end: 32_305 }, port, role)).toBe(partner);
  });
});

describe('ephemeral ports', () => {
  const kernel = (range: string, reserved = '') =>
    readEphemeralPorts((name) => (name === 'ip_local_port_range' ? range : reserved));
  const none = new Set<number>();

  test('are allocated last', () => {
    const first = (pool: { start: number; end: number }, ephemeral = kernel('32768\t60999')) =>
      [...freePairs(pool, none, ephemeral)].map(({ frontend }) => frontend);
    expect(first({ start: 32_764, end: 32_771 })).toEqual([32_764, 32_766, 32_768, 32_770]);
    expect(first({ start: 60_995, end: 61_002 })).toEqual([61_001, 60_995, 60_997, 60_999]);
    expect(first({ start: 60_995, end: 61_002 }, kernel('32768 60999', '1-2,60995-60999'))).toEqual([
      60_995, 60_997, 60_999, 61_001,
    ]);
  });

  test('in the pool cause a warning with the setting that reserves them', () => {
    const warning = ephemeralWarning({ start: 32_300, end: 32_999 }, kernel('32768\t60999', '8080,9148'));
    expect(warning).toContain('ports 32768 to 32999');
    expect(warning).toContain('net.ipv4.ip_local_reserved_ports=8080,9148,32300-32999 ');
  });

  test('that are reserved, outside the pool or unknown cause no warning', () => {
    const pool = { start: 32_300, end: 32_999 };
    expect(ephemeralWarning(pool, kernel('32768 60999', '32300-32999'))).toBeUndefined();
    expect(ephemeralWarning(pool, kernel('40000 60999'))).toBeUndefined();
    const unknown = readEphemeralPorts(() => {
      throw new Error('ENOENT');
    });
    expect(ephemeralWarning(pool, unknown)).toBeUndefined();
  });
});

describe('ports of the machine', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });
  const listen = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const server = createServer().once('error', reject);
      servers.push(server);
      server.listen(0, host, () => {
        const address = server.address();
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });

  test.each(['127.0.0.1', '0.0.0.0', '127.0.0.2'])('detects a listener on %s', async (host) => {
    const isListening = createHostPortProbe();
    expect(await isListening(await listen(host))).toBe(true);
  });

  test('reports a free port as free, even with concurrent probes', async () => {
    const port = await listen('127.0.0.1');
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const isListening = createHostPortProbe();
    expect(await Promise.all(Array.from({ length: 10 }, () => isListening(port)))).toEqual(Array(10).fill(false));
  });
});

eachStore('ports', (store) => {
  let ports: Ports;
  let busy: Set<number>;
  const tenants = { namesOf: async (ids: readonly string[]) => new Map(ids.map((id) => [id, `name of ${id}`])) };
  beforeEach(async () => {
    await store().sequelize.getQueryInterface().bulkDelete('tenants', {});
    busy = new Set([30_004]);
    ports = createPorts({
      store: store(),
      clock: { now: () => new Date('2026-11-20T11:00:00.000Z') },
      pool: { start: 30_001, end: 30_008 },
      isListening: async (port) => busy.has(port),
    });
  });

  const allocate = async (id: string, wanted: { frontend?: number; backend?: number } = {}) => {
    await addTenant(store(), id);
    return store().transaction((transaction) => ports.allocate(id, wanted, transaction));
  };
  const get = (path: string) =>
    request(
      express()
        .use(
          mountRoutes(portRoutes(ports, tenants), {
            authenticate: async () => ({ userId: 'v', username: 'v', role: 'viewer', mustChangePassword: false }),
            checkAnswers: true,
          }),
        )
        .use(errorMiddleware(createLogger({ level: 'silent' }))),
    ).get(path);

  test('allocates the pool in order until it is exhausted, and reuses released ports', async () => {
    expect(await allocate('a')).toEqual({ frontend: 30_001, backend: 30_002 });
    expect(await allocate('b')).toEqual({ frontend: 30_005, backend: 30_006 });
    expect(await allocate('c')).toEqual({ frontend: 30_007, backend: 30_008 });
    await expect(allocate('d')).rejects.toMatchObject({ code: 'ports_exhausted' });
    expect((await get('/api/ports/next-available').expect(409)).body.code).toBe('ports_exhausted');
    expect(await store().transaction((transaction) => ports.release('b', transaction))).toEqual([30_005, 30_006]);
    expect(await store().transaction((transaction) => ports.release('b', transaction))).toEqual([]);
    expect((await get('/api/ports/next-available').expect(200)).body).toEqual({
      frontend_port: 30_005,
      backend_port: 30_006,
    });
  });

  test('lists pairs in use, including those outside the pool, then free pairs; counts pairs', async () => {
    await allocate('outside', { frontend: 50_001, backend: 50_000 });
    await allocate('across', { frontend: 30_002, backend: 30_003 });
    const { body } = await get('/api/ports').expect(200);
    expect(body.allocations).toEqual([
      {
        frontend_port: 30_002,
        backend_port: 30_003,
        tenant_id: 'across',
        tenant_name: 'name of across',
        allocated_at: '2026-11-20T11:00:00.000Z',
        status: 'in_use',
      },
      expect.objectContaining({ frontend_port: 50_001, backend_port: 50_000, tenant_id: 'outside' }),
      { frontend_port: 30_005, backend_port: 30_006, tenant_id: null, status: 'available' },
      { frontend_port: 30_007, backend_port: 30_008, tenant_id: null, status: 'available' },
    ]);
    expect(body).toMatchObject({ in_use_count: 2, available_count: 2, pool_start: 30_001, pool_end: 30_008 });
  });

  test('a tenant’s ports can be swapped, but not changed to another tenant’s', async () => {
    await allocate('a');
    await allocate('b');
    const reassign = (frontend: number, backend: number) =>
      store().transaction((transaction) => ports.reassign('a', { frontend, backend }, transaction));
    await reassign(30_002, 30_001);
    expect((await ports.pairsOf(['a'])).get('a')).toMatchObject({ frontend: 30_002, backend: 30_001 });
    await expect(reassign(30_001, 30_005)).rejects.toMatchObject({ code: 'port_taken' });
    await expect(reassign(30_001, 30_004)).rejects.toMatchObject({ code: 'port_taken' });
    await expect(reassign(30_001, 30_001)).rejects.toMatchObject({ code: 'validation_error' });
    expect((await ports.pairsOf(['a'])).get('a')).toMatchObject({ frontend: 30_002, backend: 30_001 });
  });

  test('ports that a process took are replaced, unless a user chose them', async () => {
    await allocate('a');
    await allocate('b', { frontend: 30_005 });
    const replaceTaken = (id: string) => store().transaction((transaction) => ports.replaceTaken(id, transaction));
    expect(await replaceTaken('a')).toBeUndefined();
    busy.add(30_002).add(30_005);
    expect(await replaceTaken('a')).toEqual({ taken: 30_002, pair: { frontend: 30_007, backend: 30_008 } });
    expect((await ports.pairsOf(['a'])).get('a')).toMatchObject({ frontend: 30_007, backend: 30_008 });
    expect(await replaceTaken('b')).toBeUndefined();
    busy.add(30_008);
    await expect(replaceTaken('a')).rejects.toMatchObject({ code: 'ports_exhausted' });
    expect((await ports.pairsOf(['a'])).get('a')).toMatchObject({ frontend: 30_007, backend: 30_008 });
  });

  test('rejects a pool without a pair at startup', () => {
    const open = (start: number, end: number) => () =>
      createPorts({
        store: store(),
        clock: { now: () => new Date() },
        pool: { start, end },
      });
    expect(open(30_000, 30_000)).toThrow(/no pair/);
    expect(open(80, 90)).toThrow(/no pair/);
    expect(open(65_000, 65_536)).toThrow(/no pair/);
  });
});

async function addTenant({ sequelize }: Store, id: string): Promise<void> {
  const row = { id, name: id, slug: id, status: 'pending', health_status: 'unknown', directory: `/data/${id}` };
  await sequelize.getQueryInterface().bulkInsert('tenants', [{ ...row, created_at: new Date(), search_text: id }]);
}
