import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFrontend } from '../frontend/app.js';
import { openDatabase } from '../shared/database/database.js';
import { readEnvironment } from '../shared/environment.js';
import { onEachEngine, startApi } from './support.js';

const frontend = (environment, database, log = () => {}) => {
  const app = createFrontend({ database, environment, log });
  return async (path) => {
    const response = await app.request(path);
    return { status: response.status, text: await response.text() };
  };
};

onEachEngine('frontend', (engine) => {
  test('shows people, counts and version, and finds people', async (t) => {
    const { call, environment, database } = await startApi(t, engine);
    for (let index = 10; index < 40; index += 1)
      await call('POST', '/api/persons', { first_name: `P${index}`, last_name: 'Example', tags: ['donor'] });
    const get = frontend({ ...environment, APP_NAME: 'Vote <Example>' }, database);
    const { status, text } = await get('/');
    assert.equal(status, 200);
    assert.match(text, /<h1>Vote &lt;Example&gt;<\/h1>/);
    assert.match(text, /Version v1\.2\.3/);
    assert.match(text, /P34/);
    assert.doesNotMatch(text, /P35/);
    assert.match((await get('/?page=2')).text, /P35/);
    assert.match((await get('/?search=P38')).text, /1 found, page 1 of 1/);
  });
});

test('what people are called is text, never markup', async (t) => {
  const { call, environment, database } = await startApi(t, 'sqlite');
  const evil = '<script>"\'&';
  await call('POST', '/api/persons', { first_name: evil, last_name: evil, city: evil, tags: [evil] });
  const { text } = await frontend(environment, database)(`/?search=${encodeURIComponent('<script>"')}`);
  assert.match(text, /&lt;script&gt;&quot;&#39;&amp;/);
  assert.doesNotMatch(text, /<script/);
});

test('the page is there while the database is away', async (t) => {
  const environment = readEnvironment({ DATABASE_URL: 'mysql://someone@127.0.0.1:1/none' });
  const database = openDatabase(environment.DATABASE_URL);
  t.after(database.close);
  const { status, text } = await frontend(environment, database)('/');
  assert.equal(status, 200);
  assert.match(text, /cannot be read at the moment/);
});

test('the theme becomes CSS variables, and only colours do', async () => {
  const environment = readEnvironment({
    DATABASE_URL: 'sqlite:/nowhere/at/all.db',
    THEME_PRIMARY_COLOR: '#FFEE00',
    THEME_ACCENT_COLOR: 'red; } body { display: none',
  });
  const lines = [];
  const get = frontend(environment, openDatabase(environment.DATABASE_URL), (line) => lines.push(line));
  const { text } = await get('/theme.css?search=Ada');
  assert.match(text, /--primary: #FFEE00;\n {2}--on-primary: #000000;/);
  assert.doesNotMatch(text, /display/);
  assert.match(lines[0], /^GET \/theme\.css 200 \d+ms$/);
});

test('logos are files of the frontend’s own, and only pictures are', async () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
  const environment = readEnvironment({
    DATABASE_URL: 'sqlite:/nowhere/at/all.db',
    THEME_LOGO_FULL: `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`,
    THEME_LOGO_ICON: 'data:text/html;base64,PGgxPg==',
  });
  const get = frontend(environment, openDatabase(environment.DATABASE_URL));
  assert.deepEqual(await get('/logo'), { status: 200, text: drawing });
  assert.equal((await get('/logo-icon')).status, 404);
  const { text } = await get('/');
  assert.match(text, /<img src="\/logo" alt="" \/>/);
  assert.doesNotMatch(text, /rel="icon"/);
});
