import { beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type App, sharedApp } from '../../harness/app/app.ts';

let app: App;
beforeAll(async () => {
  app = await sharedApp();
});

interface Change {
  method: string;
  path: string;
  body?: object;
}

const changes: [string, (userId: string, tokenId: string) => Change][] = [
  ['an administrator revokes it', (user, token) => ({ method: 'DELETE', path: `/api/users/${user}/tokens/${token}` })],
  [
    'an administrator sets a new password',
    (user) => ({ method: 'PUT', path: `/api/users/${user}`, body: { password: 'green window seventeen' } }),
  ],
  ['its user is disabled', (user) => ({ method: 'PUT', path: `/api/users/${user}`, body: { disabled: true } })],
];

test.each(changes)('a stream opened with an API token closes when %s', async (_what, changeOf) => {
  const viewer = await app.userOf('viewer');
  const made = await app.call<{ id: string; token: string }>('POST', '/api/auth/tokens', {
    token: viewer.token,
    body: { name: 'stream' },
  });
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws/events`, {
    headers: { authorization: `Bearer ${made.body.token}` },
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const { method, path, body } = changeOf(viewer.id, made.body.id);
  expect((await app.call(method, path, { body })).status).toBe(200);
  expect(await closed).toBe(4401);
});
