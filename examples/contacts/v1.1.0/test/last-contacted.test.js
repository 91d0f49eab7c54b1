import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFrontend } from '../frontend/app.js';
import { onEachEngine, program, startApi } from './support.js';

onEachEngine('last contacted', (engine) => {
  const add = async (call) => {
    const { body: ada } = await call('POST', '/api/persons', { first_name: 'Ada', last_name: 'Example' });
    assert.equal(ada.last_contacted_at, null);
    const talk = (happened_at) =>
      call('POST', `/api/persons/${ada.id}/communications`, { channel: 'phone', happened_at });
    await talk('2026-11-20T10:00:00Z');
    await talk('2026-11-19T10:00:00Z');
    return ada.id;
  };

  test('is the latest communication, and shown', async (t) => {
    const { call, database, environment } = await startApi(t, engine);
    const id = await add(call);
    await call('PUT', `/api/persons/${id}`, { city: 'Springfield' });
    assert.equal((await call('GET', `/api/persons/${id}`)).body.last_contacted_at, '2026-11-20T10:00:00.000Z');

    const frontend = createFrontend({ database, environment, log: () => {} });
    const page = await (await frontend.request('/')).text();
    assert.match(page, /Last contacted/);
    assert.match(page, /<td>2026-11-20<\/td>/);
    assert.match(page, /New in v1\.2\.3/);
  });

  test('is filled in for communications of the version before', async (t) => {
    const { call, database, environment } = await startApi(t, engine);
    const id = await add(call);
    await database.run('UPDATE persons SET last_contacted_at = NULL');
    const migrate = () => program('scripts/add_person_last_contacted.js', { DATABASE_URL: environment.DATABASE_URL });
    assert.match((await migrate()).stdout, /filled for 1/);
    assert.match((await migrate()).stdout, /filled for 0/);
    assert.equal((await call('GET', `/api/persons/${id}`)).body.last_contacted_at, '2026-11-20T10:00:00.000Z');
  });
});
