import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { App } from '../../harness/app/app.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { streamMessage } from '../../harness/data/stream-message.ts';
import { askDeploy, deploy, endOf, makeTenant, until } from '../../harness/data/tenants.ts';

interface Message {
  type: string;
  seq: number;
  [field: string]: unknown;
}

let directory: string;
let app: App;
let repository: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-streams-'));
  repository = (await makeFixtureRepository(join(directory, 'repository'))).path;
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Opens a stream of the real manager and collects its messages. */
async function watch(path: string): Promise<{ messages: Message[]; closed: Promise<number>; close(): void }> {
  const socket = new WebSocket(app.url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${app.token}` },
  });
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(streamMessage<Message>(path, String(data))));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { messages, closed, close: () => socket.close() };
}

const gapless = (messages: Message[]): void => {
  const first = messages[0]?.seq ?? 1;
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => first + index));
};

eachStoreApp('streams of the real manager', (started) => {
  beforeAll(() => {
    app = started();
  });

  describe('git output after a failure is not shown', () => {
    /** All that a viewer can read of a deployment. */
    async function readable(tenantId: string, id: string): Promise<string> {
      const { token } = await app.userOf('viewer');
      const paths = ['', '/logs', '/logs?stream=true'].map((end) => `/api/deployments/${id}${end}`);
      const answers = [...paths, `/api/tenants/${tenantId}/deployments`].map(async (path) => {
        const response = await fetch(app.url + path, { headers: { authorization: `Bearer ${token}` } });
        expect(response.status).toBe(200);
        return response.text();
      });
      const stream = await watch(`/ws/deployments/${id}`);
      await stream.closed;
      return [...(await Promise.all(answers)), JSON.stringify(stream.messages)].join();
    }
    const gitsWords = () => new RegExp(`fatal:|error:|remote:|hint:|${directory}`);

    test('of a repository that does not exist', async () => {
      const missing = join(directory, 'no-such-repository');
      const tenant = await makeTenant(app, missing);
      const { id, error } = await deploy(app, tenant.id);
      expect(error).toMatchObject({ message: expect.stringMatching(/^The repository does not exist/), detail: null });
      expect(await readable(tenant.id, id)).not.toMatch(gitsWords());
      for (const [method, path] of [
        ['GET', 'versions'],
        ['POST', 'deploy?dry_run=true'],
      ] as const) {
        const { status, body } = await app.call(method, `/api/tenants/${tenant.id}/${path}`);
        expect([status, body]).toMatchObject([502, { code: 'git_error', detail: error?.message }]);
      }
    });

    test('of a repository that lost its files', async () => {
      const { path } = await makeFixtureRepository(join(directory, randomUUID()));
      const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], { encoding: 'utf8' });
      const trees = git('cat-file', '--batch-all-objects', '--batch-check').match(/^\w+(?= tree )/gm) ?? [];
      for (const tree of trees) await rm(join(path, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
      const tenant = await makeTenant(app, path);
      const { id, error } = await deploy(app, tenant.id);
      expect(error).toMatchObject({ message: expect.stringMatching(/^git failed\./), detail: null });
      expect(await readable(tenant.id, id)).not.toMatch(gitsWords());
    });
  });

  describe('the live streams of a tenant', () => {
    test('a deployment is complete for early and late viewers over every protocol', async () => {
      const tenant = await makeTenant(app, repository);
      const id = await askDeploy(app, tenant.id);
      const early = await watch(`/ws/deployments/${id}`);
      expect(await early.closed).toBe(1000);
      const late = await watch(`/ws/deployments/${id}`);
      expect(await late.closed).toBe(1000);
      gapless(early.messages);
      expect(late.messages).toEqual(early.messages);
      expect(early.messages.filter(({ type }) => type === 'progress').at(-1)).toMatchObject({
        deployment_id: id,
        progress_percent: 100,
      });
      expect(early.messages.at(-1)).toMatchObject({ type: 'complete', deployment_id: id, status: 'success' });

      const socket = io(`${app.url}/streams`, { auth: { token: app.token }, transports: ['websocket'] });
      const overSocketIo: Message[] = [];
      socket.on('message', (message: Message) => overSocketIo.push(message));
      const answer: unknown = await socket.emitWithAck('subscribe', { stream: 'deployment', id });
      expect(answer).toMatchObject({ ok: true });
      await until(
        async () => overSocketIo.length,
        (length) => length === early.messages.length,
      );
      expect(overSocketIo).toEqual(early.messages);
      expect(await socket.emitWithAck('subscribe', { stream: 'deployment', id: 'nothing' })).toMatchObject({
        ok: false,
        code: 'not_found',
      });
      socket.close();
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    });

    test('states, health and logs arrive live', async () => {
      const events = await watch('/ws/events');
      const tenant = await makeTenant(app, repository);
      await deploy(app, tenant.id);
      const health = await watch(`/ws/tenants/${tenant.id}/health`);
      const logs = await watch(`/ws/tenants/${tenant.id}/logs?service=backend`);
      const { body: checked } = await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
      await until(
        async () => health.messages,
        (messages) => messages.length > 0,
      );
      expect(health.messages.at(-1)).toMatchObject({
        type: 'health_update',
        tenant_id: tenant.id,
        overall_status: 'healthy',
        checks: { services: { frontend_service: 'active', backend_service: 'active' } },
      });
      expect(Object.keys(health.messages.at(-1)?.checks as object)).toEqual(Object.keys(checked.checks as object));
      await app.call('POST', `/api/tenants/${tenant.id}/restart`);
      await until(
        async () => logs.messages.filter(({ message }) => String(message).includes('listens')),
        ({ length }) => length >= 2,
      );
      expect(logs.messages[0]).toMatchObject({ type: 'log', service: 'backend', stream: 'stdout' });
      gapless(logs.messages);
      await app.call('POST', `/api/tenants/${tenant.id}/stop`);

      const mine = () => events.messages.filter(({ tenant_id }) => tenant_id === tenant.id);
      await until(
        async () => mine(),
        (messages) => messages.some(({ status }) => status === 'stopped'),
      );
      expect(mine().map(({ type }) => type)).toEqual(
        expect.arrayContaining(['deployment', 'tenant_status', 'tenant_health']),
      );
      gapless(events.messages);
      for (const stream of [events, health, logs]) stream.close();
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    });

    test('rejects access without a token, to unknown things, and after revocation', async () => {
      const refused = (path: string, headers: Record<string, string> = {}): Promise<string> =>
        new Promise((resolve) => {
          const socket = new WebSocket(app.url.replace('http', 'ws') + path, { headers });
          socket.once('error', (error) => resolve(error.message));
          socket.once('open', () => resolve('open'));
        });
      expect(await refused('/ws/events')).toMatch(/401/);
      expect(await refused('/ws/deployments/nothing', { authorization: `Bearer ${app.token}` })).toMatch(/404/);
      const viewer = await app.userOf('viewer');
      expect(await refused(`/ws/events?access_token=${viewer.token}`)).toBe('open');
      const open = new WebSocket(`${app.url.replace('http', 'ws')}/ws/events?access_token=${viewer.token}`);
      await new Promise((resolve) => open.once('open', resolve));
      const ended = new Promise((resolve) => open.once('close', resolve));
      await app.call('POST', '/api/auth/logout', { token: viewer.token });
      expect(await ended).toBe(4401);
      expect(await refused(`/ws/events?access_token=${viewer.token}`)).toMatch(/401/);
    });
  });

  describe('cleanup', () => {
    test('removes releases that nothing runs or may roll back to; keeps running ones', async () => {
      const own = await makeFixtureRepository(join(app.directory, 'garbage'));
      await app.call('PUT', '/api/settings/release_retention', { body: { value: 1 } });
      const tenant = await makeTenant(app, own.path);
      for (const version of ['v1.0.0', 'v1.1.0'])
        expect((await deploy(app, tenant.id, { target_version: version })).status).toBe('success');
      for (const version of ['v1.2.0', 'v1.3.0']) {
        await own.release(version, { 'NEWS.md': version });
        expect((await endOf(app, await askDeploy(app, tenant.id, { target_version: version }))).status).toBe('success');
      }
      const { runtime, deployments } = app.manager.app;
      const { items } = await deployments.list(tenant.id, { limit: 10, offset: 0 });
      const keys = items.map(({ state }) => (state as { release: { key: string } }).release.key);
      // The collection after a deployment may still be running: then this one does nothing.
      const kept = await until(
        async () => {
          await deployments.collectGarbage();
          return Promise.all(keys.map((key) => runtime.hasRelease(key)));
        },
        (found) => found[2] === false,
      );
      expect(kept).toEqual([true, true, false, false]);
      expect((await deploy(app, tenant.id)).status).toBe('success');
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    });
  });
});
