import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { App } from '../../harness/app/app.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant } from '../../harness/data/tenants.ts';

let directory: string;
let app: App;
let tenantId: string;

const socketOf = async (token: string): Promise<{ closed: Promise<number> }> => {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws/events`, ['bearer', token]);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await once(socket, 'open');
  return { closed };
};
const eventStreamOf = async (token: string): Promise<{ closed: Promise<string> }> => {
  const response = await fetch(`${app.url}/api/tenants/${tenantId}/logs?follow=true`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  const closed = response.text().then(
    () => 'ended',
    () => 'broken off',
  );
  return { closed };
};
const socketIoOf = async (token: string): Promise<{ closed: Promise<string> }> => {
  const socket = io(`${app.url}/streams`, {
    auth: { token },
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  });
  const closed = new Promise<string>((resolve) => socket.once('disconnect', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('connect_error', (error) => {
      socket.close();
      reject(error);
    });
  });
  return { closed };
};

/** One stream of each kind, to be closed by the manager. */
const openAll = async (token: string) => {
  const streams = [await socketOf(token), await eventStreamOf(token), await socketIoOf(token)];
  return Promise.all(streams.map(({ closed }) => closed));
};

eachStoreApp('access to open streams', (started) => {
  beforeAll(async () => {
    app = started();
    directory = await mkdtemp(join(tmpdir(), 'tenantry-open-streams-'));
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    tenantId = (await makeTenant(app, repository.path)).id;
    await deploy(app, tenantId);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('ends with logout, disabling, deletion and the end of the session, also after others ended', async () => {
    // A logout with a WebSocket and an event stream open checks both concurrently.
    const first = await app.userOf('viewer');
    const ofFirst = openAll(first.token);
    await untilOpen(3);
    await app.call('POST', '/api/auth/logout', { token: first.token });
    expect(await ofFirst).toEqual([4401, 'broken off', 'io server disconnect']);

    const disabled = await app.userOf('viewer');
    const ofDisabled = openAll(disabled.token);
    await untilOpen(3);
    await app.call('PUT', `/api/users/${disabled.id}`, { body: { disabled: true } });
    expect(await ofDisabled).toEqual([4401, 'broken off', 'io server disconnect']);

    const deleted = await app.userOf('viewer');
    const ofDeleted = openAll(deleted.token);
    await untilOpen(3);
    await app.call('DELETE', `/api/users/${deleted.id}`);
    expect(await ofDeleted).toEqual([4401, 'broken off', 'io server disconnect']);

    const third = await app.userOf('viewer');
    const ofThird = openAll(third.token);
    await untilOpen(3);
    const { body } = await app.call<{ sessions: { id: string }[] }>('GET', '/api/auth/sessions', {
      token: third.token,
    });
    await app.call('DELETE', `/api/auth/sessions/${body.sessions[0]?.id}`, { token: third.token });
    expect(await ofThird).toEqual([4401, 'broken off', 'io server disconnect']);
  });

  test('limits one user to 200 streams of all kinds, and leaves capacity for others', async () => {
    const viewer = await app.userOf('viewer');
    for (let round = 0; round < 100; round += 1) {
      await socketOf(viewer.token);
      await eventStreamOf(viewer.token);
    }
    await expect(socketOf(viewer.token)).rejects.toThrow('429');
    await expect(socketIoOf(viewer.token)).rejects.toMatchObject({ data: { code: 'rate_limited' } });
    const refused = await app.call('GET', `/api/tenants/${tenantId}/logs?follow=true`, { token: viewer.token });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect((await app.call('GET', `/api/tenants/${tenantId}/logs`, { token: viewer.token })).status).toBe(200);
    await socketOf(app.token);
    await socketOf((await app.userOf('viewer')).token);
    await app.call('POST', '/api/auth/logout', { token: viewer.token });
    while (app.manager.openStreams() > 2) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

/** Waits until this number of streams is open. */
async function untilOpen(count: number): Promise<void> {
  while (app.manager.openStreams() < count) await new Promise((resolve) => setTimeout(resolve, 10));
}
