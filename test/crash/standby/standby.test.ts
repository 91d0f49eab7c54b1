import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { type ManagerPair, makeManagerPair, readiness } from '../../harness/app/manager-pair.ts';
import { makeManagerProcess } from '../../harness/app/manager-process.ts';
import { isAlive } from '../../harness/app/process-state.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { makeMariaDbStore } from '../../harness/data/store-template.ts';
import { type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { endOfDeployment } from '../drills/kill-in-step.ts';
import { processUnitsOf } from '../drills/process-units.ts';
import { expectUnits } from '../drills/tenant-state.ts';
import { contentOf } from './content.ts';

describeMariaDb('a standby manager', () => {
  let databaseUrl: string;
  let managers: ManagerPair;
  beforeAll(async () => {
    databaseUrl = await makeMariaDbStore();
    managers = await makeManagerPair(databaseUrl, { LOG_LEVEL: 'info' });
    await managers.start();
  });
  // Both run again, and the pair knows which one is active.
  afterEach(async () => {
    for (const one of [managers.active, managers.standby]) if ((await readiness(one.url)) === 0) await one.launch();
    if ((await readiness(managers.active.url)) !== 200) await managers.takeOver();
  });
  afterAll(() => managers.remove());

  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(managers.standby.url + path, init);
    return { status: answer.status, body: (await answer.json()) as { code?: string; detail?: string } };
  };

  test('answers that it lives and is not ready; everything else with the active manager’s name', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    const refusal = {
      status: 503,
      body: { code: 'standby', detail: expect.stringMatching(/the manager on \S+ is active/) },
    };
    expect(await ask('/readyz')).toMatchObject(refusal);
    expect(await ask('/api/tenants')).toMatchObject(refusal);
    expect(await ask('/api/auth/login', { method: 'POST', body: '{}' })).toMatchObject(refusal);
    expect(await ask('/healthz?x')).toMatchObject(refusal);
    expect(await readiness(managers.active.url)).toBe(200);
  });

  test('the active one warns while no standby waits', async () => {
    const warnings = async () => (await managers.call<{ warnings: string[] }>('GET', '/api/system')).body.warnings;
    await until(warnings, (all) => all.length === 0);
    await managers.standby.kill();
    expect(await until(warnings, (all) => all.length > 0)).toEqual([
      'No standby manager is ready to take over: start the second one',
    ]);
  });

  test('takes over when the active one stops in order', async () => {
    const before = managers.active;
    expect(await before.stop()).toBe(0);
    await managers.takeOver();
    expect((await managers.call('GET', '/api/tenants')).status).toBe(200);
    await before.launch();
    expect(await readiness(before.url)).toBe(503);
  });

  test('of two managers that start at the same moment one is active', async () => {
    await Promise.all([managers.active.kill(), managers.standby.kill()]);
    await Promise.all([managers.active.launch(), managers.standby.launch()]);
    const both = () => Promise.all([managers.active, managers.standby].map(({ url }) => readiness(url)));
    expect((await until(both, (statuses) => statuses.includes(200))).sort()).toEqual([200, 503]);
  });

  test('a manager without STANDBY, with another key, or another directory is refused with the reason', async () => {
    const endWith = async (environment: Record<string, string>, directory?: string) => {
      const settings = { DATABASE_URL: databaseUrl, ...environment };
      const third = await makeManagerProcess(settings, directory);
      await third.launch().catch(() => undefined);
      const code = await third.ended();
      if (directory === undefined) await third.remove();
      return `${code} ${third.output()}`;
    };
    const key = 'both managers have the same key ..';
    const asStandby = { STANDBY: 'true', SECRET_KEY: key };
    const [alone, otherKey, elsewhere, withoutKey] = await Promise.all([
      endWith({ SECRET_KEY: key }),
      endWith({ ...asStandby, SECRET_KEY: 'another key, which is also long enough' }, managers.directory),
      endWith(asStandby),
      endWith({ STANDBY: 'true' }, managers.directory),
    ]);
    expect(alone).toMatch(/^1 DATABASE_URL must not be in use by another manager: the one on \S+ uses/);
    expect(otherKey).toMatch(/^1 .*SECRET_KEY must be the same for both managers/s);
    expect(elsewhere).toMatch(/^1 .*DATA_DIR must be the directory of the active manager/s);
    expect(withoutKey).toMatch(/^1 SECRET_KEY must be set with STANDBY=true/);
    expect(await readiness(managers.active.url)).toBe(200);
  });

  test('the active one ends when it can’t renew its lease for 10 s; until then the standby waits', async () => {
    const printed = managers.active.output().length;
    const connection = await createConnection(databaseUrl);
    const unready = managers.active.ended().then(() => readiness(managers.standby.url));
    await connection.beginTransaction();
    await connection.query('SELECT * FROM manager_lease FOR UPDATE');
    expect(await managers.active.ended()).toBe(1);
    expect(managers.active.output().slice(printed)).toContain('the lease could not be renewed for 10 s');
    expect(await unready).toBe(503);
    await connection.end();
    await managers.takeOver();
  });

  /** Deploys a tenant whose install script is given, up to that step. */
  async function deployUntilInstall(install: string) {
    const slug = `hangs-${Date.now().toString(36)}`;
    const repository: FixtureRepository = await makeFixtureRepository(join(managers.directory, slug));
    const commit = await repository.release('v2.0.0', { 'install.js': install });
    const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    const spec = { ...names, git_repo: repository.path };
    const { body: tenant } = await managers.call<TenantAnswer>('POST', '/api/tenants', { body: spec });
    const { body } = await managers.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`, {
      body: { target_version: 'v2.0.0' },
    });
    await until(
      () => managers.call<{ current_step: string }>('GET', `/api/deployments/${body.deployment_id}`),
      (answer) => answer.body.current_step === 'Install dependencies',
    );
    return { id: body.deployment_id, tenant, spec, commit };
  }

  test('a manager that hangs in a deployment is ended by its watchdog, with the programs; the standby goes on', async () => {
    const [hold, pids] = ['hold', 'pids'].map((name) => join(managers.directory, name)) as [string, string];
    await writeFile(hold, '');
    const { id, tenant, commit } = await deployUntilInstall(`const fs = require('node:fs');
      fs.appendFileSync('${pids}', process.pid + ' ');
      const waiting = setInterval(() => fs.existsSync('${hold}') || clearInterval(waiting), 20);`);
    const text = await until(() => readFile(pids, 'utf8').catch(() => ''), Boolean);
    const hanging = managers.active;
    hanging.hang();
    expect(await hanging.ended()).toBeNull();
    await until(
      async () => isAlive(Number(text.split(' ')[0])),
      (alive) => !alive,
    );
    await rm(hold);
    await managers.takeOver();
    const { status } = await endOfDeployment(managers, id);
    await expectUnits(managers, tenant, status === 'success' ? commit : null, processUnitsOf);
    await managers.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  });

  test('takes over from a manager that is frozen in a deployment; when that one goes on, it ends and changes nothing', async () => {
    const { id, tenant, spec, commit } = await deployUntilInstall(
      "setTimeout(() => console.log('installed'), 3_000);\n",
    );
    const hanging = managers.active;
    await hanging.suspend();
    // It writes and acts as soon as it goes on.
    const late = fetch(`${hanging.url}/api/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hanging.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...spec,
        name: 'late',
        slug: 'late',
        domain: 'late.example.org',
        api_domain: 'api.late.example.org',
      }),
    }).then(
      ({ status }) => status,
      () => 0,
    );
    await managers.takeOver();
    const { status } = await endOfDeployment(managers, id);
    expect(['success', 'failed']).toContain(status);
    await expectUnits(managers, tenant, status === 'success' ? commit : null, processUnitsOf);

    const before = await contentOf(databaseUrl, managers.directory);
    const printed = hanging.output().length;
    hanging.resume();
    expect(await hanging.ended()).toBe(1);
    expect(hanging.output().slice(printed)).toMatch(/another one is active, or may be/);
    expect([0, 500, 503]).toContain(await late);
    expect(await contentOf(databaseUrl, managers.directory)).toEqual(before);
    await expectUnits(managers, tenant, status === 'success' ? commit : null, processUnitsOf);
    await managers.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  });
});
