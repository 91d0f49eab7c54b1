import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Runtime } from '../../../../src/adapters/runtimes/runtime.ts';
import { explain } from '../../../../src/features/deployments/release/explain-failure.ts';
import { type ReadWaited, watchOverload } from '../../../../src/features/health/checks/overload.ts';
import { createProof } from '../../../../src/features/health/checks/prove.ts';
import type { LiveRelease, Tenant } from '../../../../src/features/tenants/tenants.ts';

/** A kernel whose tasks wait for these shares of the time. */
const kernel =
  (shares: Partial<Record<'cpu' | 'io' | 'memory', number>>): ReadWaited =>
  (resource) =>
    performance.now() * 1_000 * (shares[resource] ?? 0);

test.each([
  [{}, undefined],
  [{ cpu: 0.5, io: 0.3, memory: 0.1 }, undefined],
  [{ cpu: 0.9 }, 'cpu'],
  [{ cpu: 0.1, io: 0.6 }, 'io'],
  [{ memory: 0.3 }, 'memory'],
] as const)('with %j of the time waited, the resource in short supply is %s', async (shares, short) => {
  const overload = watchOverload(kernel(shares));
  await sleep(50);
  const found = overload();
  expect(found?.code).toBe(short === undefined ? undefined : 'machine_overloaded');
  if (found && short) expect(found.params?.[short]).toMatch(/^[1-9]\d$/);
});

test('where the kernel does not say, the machine was not overloaded', async () => {
  const overload = watchOverload(() => undefined);
  await sleep(20);
  expect(overload()).toBeUndefined();
});

test.each([
  [0.95, { code: 'machine_overloaded' }],
  [0.05, undefined],
])('a release that is not healthy in time, while tasks wait for %d of it, has the cause %j', async (cpu, found) => {
  const runtime = {
    inspect: async () => ({ state: 'inactive', reason: null }),
  } as unknown as Runtime;
  const lines: string[] = [];
  const prove = createProof({ runtime, tenantApi: {} as never, readWaited: kernel({ cpu }) });
  const work = { log: (line: string) => void lines.push(line), signal: new AbortController().signal };
  const tenant = { id: 't1', slug: 'acme' } as Tenant;
  const failure = await prove(tenant, { commit: 'c' } as LiveRelease, work, 300).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining('acme-api is not running') });
  expect(lines.some((line) => line.startsWith('The machine was overloaded'))).toBe(found !== undefined);
  const explained = await explain(failure, []);
  if (found) expect(explained).toMatchObject({ found, detail: expect.stringContaining('acme-api is not running') });
  else expect(explained).toBe(failure);
  // What the units themselves say comes first.
  const own = await explain(failure, ['Error: listen EADDRINUSE: address already in use :::3000']);
  expect(own).toMatchObject({ found: { code: 'port_in_use' } });
});
