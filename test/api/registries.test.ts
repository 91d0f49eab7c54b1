import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createRegistries } from '../../src/features/registries/registries.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { eachStoreApp } from '../harness/app/each-store-app.ts';
import { eachStore } from '../harness/servers/mariadb.ts';

const path = '/api/system/registries';
const hidden = '***hidden***';
const password = 'velvet/anchor+42';
const input = { host: 'GHCR.io', username: 'team', password, tenant_ids: ['t1'], repositories: [] as string[] };

interface RegistryAnswer {
  id: string;
  host: string;
}

eachStoreApp('registries', (app) => {
  const create = async (changes: object) => {
    const made = await app().call<RegistryAnswer>('POST', path, { body: { ...input, ...changes } });
    expect(made).toMatchObject({ status: 201, body: { password: hidden } });
    return made.body;
  };

  test('are added, changed and deleted; the password shows nowhere', async () => {
    const { id } = await create({});
    const changed = await app().call('PUT', `${path}/${id}`, {
      body: { ...input, password: hidden, repositories: ['https://git.example.org/a.git'] },
    });
    expect(changed).toMatchObject({ status: 200, body: { host: 'ghcr.io', username: 'team', tenant_ids: ['t1'] } });
    const { body } = await app().call<{ total: number }>('GET', `${path}?limit=1`);
    expect(body).toMatchObject({ total: 1, limit: 1, offset: 0 });
    const shown = JSON.stringify([body, (await app().call('GET', '/api/logs?limit=100')).body]);
    expect(shown).toContain('Credentials for the registry ghcr.io changed');
    expect(shown).not.toContain(password);
    expect(await app().call('DELETE', `${path}/${id}`)).toMatchObject({ status: 200 });
    expect(await app().call('GET', `${path}/${id}`)).toMatchObject({ status: 404 });
  });

  test('have one entry for each host, also in parallel, and are rejected with the field and the rule', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => app().call('POST', path, { body: { ...input, host: 'quay.io' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    for (const host of ['https://ghcr.io', 'ghcr.io/team', '', 'a b', 'ghcr.io:0'])
      expect(await app().call('POST', path, { body: { ...input, host } })).toMatchObject({
        status: 400,
        body: { code: 'validation_error', issues: [{ path: 'host' }] },
      });
  });

  test('never get a stored password with another host', async () => {
    const { id } = await create({ host: 'one.example.org' });
    const stolen = await app().call('PUT', `${path}/${id}`, {
      body: { ...input, host: 'evil.example.org', password: hidden },
    });
    expect(stolen).toMatchObject({ status: 400, body: { issues: [{ path: 'password' }] } });
  });

  test('are tested by the engine; local processes have none', async () => {
    const { id } = await create({ host: 'two.example.org' });
    expect(await app().call('POST', `${path}/${id}/test`)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    });
  });
});

eachStore('credentials of registries', (store) => {
  test('serve the tenants and repositories that are named; those of the file serve all', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-registries-'));
    const authFile = join(directory, 'config.json');
    const auths = {
      'https://index.docker.io/v1/': { auth: Buffer.from('hub:hub:secret').toString('base64') },
      'ghcr.io': { auth: Buffer.from('all:file-secret').toString('base64') },
    };
    await writeFile(authFile, JSON.stringify({ auths }));
    try {
      const registries = createRegistries({
        ...{ store: store(), clock: systemClock, runtime: {}, secretBox: createSecretBox('a key for this test') },
        ...{ writeAuditLog: async () => undefined, settings: { read: async () => 24 as never } },
        config: { REGISTRY_AUTH_FILE: authFile },
      });
      const create = registries.routes.find(({ definition }) => definition.method === 'post')?.handle as unknown;
      const repositories = ['https://git.example.org/team/app.git'];
      const body = { host: 'ghcr.io', username: 'team', password, tenant_ids: ['t1'], repositories };
      await (create as (call: object) => Promise<unknown>)({
        body,
        principal: { username: 'a', userId: 'u' },
      });

      expect(JSON.stringify(await store().sequelize.query('SELECT * FROM registries'))).not.toContain(password);
      const at = (id: string, gitRepo: string | null, host: string) => registries.accessOf({ id, gitRepo }).at(host);
      const own = { restricted: true, login: { username: 'team', password, serveraddress: 'ghcr.io' } };
      expect(await at('t1', null, 'ghcr.io')).toEqual(own);
      expect(await at('t2', 'https://***@git.example.org/team/app.git', 'ghcr.io')).toEqual(own);
      expect(await at('t2', 'https://git.example.org/team/other.git', 'ghcr.io')).toMatchObject({
        restricted: false,
        login: { username: 'all', password: 'file-secret' },
      });
      expect(await at('t2', null, 'docker.io')).toMatchObject({ login: { username: 'hub', password: 'hub:secret' } });
      expect(await at('t1', null, 'quay.io')).toEqual({ restricted: false });
      expect(await registries.operatorAccess.at('ghcr.io')).toEqual(own);
      await writeFile(authFile, '{"auths": ["');
      await expect(at('t2', null, 'docker.io')).rejects.toThrow(`REGISTRY_AUTH_FILE (${authFile}): must be Docker’s`);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
