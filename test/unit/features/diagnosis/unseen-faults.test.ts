import { expect, test } from '@jest/globals';
import type { Diagnosis } from '../../../../src/features/diagnosis/diagnosis.ts';
import { createUnseenFaults } from '../../../../src/features/diagnosis/unseen-faults.ts';
import type { Tenant } from '../../../../src/features/tenants/tenants.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

const start = new Date('2026-11-27T01:00:00.000Z');
const signal = new AbortController().signal;

/** Looks for faults of some tenants, whose causes the test changes. */
function faultsOf({ tenants = {} as Record<string, Partial<Tenant>>, reported = undefined as Date | undefined }) {
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
    diagnose: async (id) => {
      asked.push(id);
      const code = causes.get(id);
      if (code === 'unknown') throw new Error('deleted since');
      return { cause: code === undefined ? null : { code, title: `It is ${code}` } } as Diagnosis;
    },
    reportedSince: async () => reported,
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
  expect(faults.of('a')).toBeUndefined();
  await run(30);
  expect(faults.of('a')).toMatchObject({
    code: 'dns_missing',
    title: 'It is dns_missing',
    since: new Date('2026-11-27T01:15:00.000Z'),
  });
  causes.set('a', 'api_key_refused');
  await run(45);
  expect(faults.of('a')).toBeUndefined();
  causes.delete('a');
  await run(60);
  await run(75);
  expect(faults.of('a')).toBeUndefined();
});

test('a fault ends with the second run that does not find it; a tenant that is not healthy shows nothing of it', async () => {
  const tenant: Partial<Tenant> = {};
  const { faults, causes, asked, run } = faultsOf({ tenants: { a: tenant } });
  const since = start;
  causes.set('a', 'dns_missing');
  await run(0);
  await run(15);
  expect(faults.of('a')).toMatchObject({ since });
  causes.delete('a');
  await run(30);
  expect(faults.of('a')).toMatchObject({ since });
  causes.set('a', 'dns_missing');
  await run(45);
  causes.delete('a');
  await run(60);
  expect(faults.of('a')).toMatchObject({ since });
  tenant.healthStatus = 'unhealthy';
  await run(75);
  tenant.status = 'stopped';
  await run(90);
  expect(faults.of('a')).toMatchObject({ since });
  expect(asked).toHaveLength(5);
  Object.assign(tenant, { status: 'running', healthStatus: 'healthy' });
  await run(105);
  await run(120);
  expect(faults.of('a')).toBeUndefined();
});

test('only deployed, healthy tenants are diagnosed, and only what health checks do not see counts', async () => {
  const { faults, causes, asked, run } = faultsOf({
    tenants: {
      a: {},
      unhealthy: { healthStatus: 'unhealthy' },
      stopped: { status: 'stopped' },
      pending: { deployed: null },
      late: {},
    },
  });
  causes.set('a', 'certificate_expiring').set('late', 'unknown');
  await run(0);
  await run(15);
  expect(asked).toEqual(['a', 'late', 'a', 'late']);
  expect(faults.of('a')).toBeUndefined();
});

test('after a restart, a reported fault goes on', async () => {
  const reported = new Date('2026-11-20T00:00:00.000Z');
  const { faults, causes, run } = faultsOf({ tenants: { a: {}, b: {} }, reported });
  causes.set('a', 'dns_elsewhere');
  await run(0);
  expect(faults.of('a')?.since).toEqual(reported);
  // That of another tenant begins now, whatever was reported long ago.
  causes.set('b', 'dns_elsewhere');
  await run(15);
  await run(30);
  expect(faults.of('b')?.since).toEqual(new Date('2026-11-27T01:15:00.000Z'));
});
