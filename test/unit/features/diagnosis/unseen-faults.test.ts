import { expect, test } from '@jest/globals';
import { createUnseenFaults, unseenFaultCodes } from '../../../../src/features/diagnosis/unseen-faults.ts';
import type { Tenant } from '../../../../src/features/tenants/tenants.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

const start = new Date('2026-11-27T01:00:00.000Z');
const signal = new AbortController().signal;

interface Reported {
  tenantId: string;
  code: string;
  title: string;
  since: Date;
}

/** Looks for faults of some tenants, whose causes the test changes. */
function faultsOf({ tenants = {} as Record<string, Partial<Tenant>>, reported = [] as Reported[] }) {
  /** By tenant, the codes of its faults; `unknown`: nothing can be read, `fails`: it can't be examined. */
  const causes = new Map<string, string>();
  const asked: string[] = [];
  let now = start;
  const faults = createUnseenFaults({
    clock: { now: () => now },
    logger: createLogger({ level: 'silent' }),
    tenants: {
      async *each() {
        for (const [id, fields] of Object.entries(tenants))
          yield { id, status: 'running', healthStatus: 'healthy', deployed: {}, ...fields } as Tenant;
      },
    },
    examine: async (id) => {
      asked.push(id);
      const codes = causes.get(id)?.split(' ') ?? [];
      if (codes.includes('fails')) throw new Error('deleted since');
      return new Map(
        unseenFaultCodes.map((code) => [
          code,
          codes.includes(code) ? { title: `It is ${code}` } : codes.includes('unknown') ? 'unknown' : 'none',
        ]),
      );
    },
    reported: async () => reported,
  });
  const run = async (minutes: number): Promise<void> => {
    now = new Date(start.getTime() + minutes * 60_000);
    await faults.run(signal);
  };
  return { faults, causes, asked, run };
}

test('a fault is one from its second finding on, and lasts since its first', async () => {
  const { faults, causes, run } = faultsOf({ tenants: { a: {} } });
  await run(0);
  causes.set('a', 'dns_missing');
  await run(15);
  expect(faults.of('a')).toEqual([]);
  await run(30);
  const missing = {
    code: 'dns_missing',
    title: 'It is dns_missing',
    since: new Date('2026-11-27T01:15:00.000Z'),
  };
  expect(faults.of('a')).toMatchObject([missing]);
  // Each fault for itself
  causes.set('a', 'api_key_refused');
  await run(45);
  expect(faults.of('a')).toMatchObject([missing]);
  causes.set('a', 'dns_missing api_key_refused');
  await run(60);
  expect(faults.of('a').map(({ code }) => code)).toEqual(['dns_missing', 'api_key_refused']);
  causes.delete('a');
  await run(75);
  await run(90);
  expect(faults.of('a')).toEqual([]);
});

test('a fault ends with the second run that does not find it; a tenant that is not healthy shows nothing of it', async () => {
  const tenant: Partial<Tenant> = {};
  const { faults, causes, asked, run } = faultsOf({ tenants: { a: tenant } });
  const since = start;
  causes.set('a', 'dns_missing');
  await run(0);
  await run(15);
  expect(faults.of('a')).toMatchObject([{ since }]);
  causes.delete('a');
  await run(30);
  expect(faults.of('a')).toMatchObject([{ since }]);
  causes.set('a', 'dns_missing');
  await run(45);
  causes.delete('a');
  await run(60);
  expect(faults.of('a')).toMatchObject([{ since }]);
  causes.set('a', 'unknown');
  await run(65);
  causes.set('a', 'fails');
  await run(70);
  expect(faults.of('a')).toMatchObject([{ since }]);
  causes.delete('a');
  tenant.healthStatus = 'unhealthy';
  await run(75);
  tenant.status = 'stopped';
  await run(90);
  expect(faults.of('a')).toMatchObject([{ since }]);
  expect(asked).toHaveLength(7);
  Object.assign(tenant, { status: 'running', healthStatus: 'healthy' });
  await run(105);
  await run(120);
  expect(faults.of('a')).toEqual([]);
});

test('only deployed, healthy tenants are examined', async () => {
  const { faults, causes, asked, run } = faultsOf({
    tenants: {
      a: {},
      unhealthy: { healthStatus: 'unhealthy' },
      stopped: { status: 'stopped' },
      pending: { deployed: null },
      late: {},
    },
  });
  causes.set('late', 'fails');
  await run(0);
  await run(15);
  expect(asked).toEqual(['a', 'late', 'a', 'late']);
  expect(faults.of('a')).toEqual([]);
});

test('after a restart, a reported fault goes on until two runs do not find it', async () => {
  const since = new Date('2026-11-20T00:00:00.000Z');
  const reported = { tenantId: 'a', code: 'dns_elsewhere', title: 'It was reported', since };
  const { faults, causes, run } = faultsOf({ tenants: { a: {}, b: {} }, reported: [reported] });
  causes.set('a', 'unknown').set('b', 'dns_elsewhere');
  await run(0);
  expect(faults.of('a')).toMatchObject([{ title: 'It was reported', since }]);
  causes.set('a', 'dns_elsewhere');
  await run(15);
  expect(faults.of('a')).toMatchObject([{ title: 'It is dns_elsewhere', since }]);
  // That of another tenant began now.
  expect(faults.of('b')).toMatchObject([{ since: start }]);
  causes.delete('a');
  await run(30);
  expect(faults.of('a')).toHaveLength(1);
  await run(45);
  expect(faults.of('a')).toEqual([]);
});
