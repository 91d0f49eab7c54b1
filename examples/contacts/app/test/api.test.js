import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY, startApi } from './support.js';

test('health says which version and commit is live', async (t) => {
  const { app, database } = await startApi(t, 'sqlite');
  const healthy = await app.request('/api/health');
  assert.equal(healthy.status, 200);
  assert.deepEqual(await healthy.json(), { status: 'healthy', database: 'up', version: 'v1.2.3', commit: 'abc' });

  await database.run('ALTER TABLE persons RENAME TO elsewhere');
  const unhealthy = await app.request('/api/health');
  assert.equal(unhealthy.status, 503);
  assert.equal((await unhealthy.json()).status, 'unhealthy');
});

test('every route but health and the description wants a key', async (t) => {
  const { app } = await startApi(t, 'sqlite');
  const { paths } = await (await app.request('/openapi.json')).json();
  for (const [path, operations] of Object.entries(paths))
    for (const method of Object.keys(operations).filter((name) => name !== 'parameters')) {
      const without = await app.request(path, { method: method.toUpperCase() });
      assert.equal(without.status, path === '/api/health' ? 200 : 401, `${method} ${path}`);
    }
  const status = async (key) => (await app.request('/api/stats', { headers: { 'X-API-Key': key } })).status;
  assert.equal(await status(KEY), 200);
  assert.equal(await status('another-key'), 200);
  assert.equal(await status(`another-key,${KEY}`), 401);
  assert.equal(await status(''), 401);
});

test('errors are {detail}', async (t) => {
  const { app, call } = await startApi(t, 'sqlite');
  assert.deepEqual(await call('GET', '/nothing'), { status: 404, body: { detail: 'There is nothing at this path' } });
  const wrong = await call('POST', '/api/persons', { first_name: 'Ada', last_name: ' ', email: 'x', shoe: 1 });
  assert.equal(wrong.status, 400);
  assert.match(wrong.body.detail, /last_name: is required; email: is not an e-mail address; .*shoe/);
  const headers = { 'X-API-Key': KEY };
  assert.equal((await app.request('/api/tags', { method: 'POST', body: '{', headers })).status, 400);
  const large = await app.request('/api/tags', { method: 'POST', body: 'x'.repeat(2 ** 20 + 1), headers });
  assert.equal(large.status, 413);
});

test('the description and its page are served from here', async (t) => {
  const { app } = await startApi(t, 'sqlite');
  const page = await (await app.request('/docs')).text();
  assert.doesNotMatch(page, /(src|href)="(https?:)?\/\//);
  for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
    const response = await app.request(address);
    assert.equal(response.status, 200, address);
    assert.ok((await response.arrayBuffer()).byteLength > 50, address);
  }
  assert.equal((await app.request('/docs/package.json')).status, 404);
});
