import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, sharedApp } from '../../harness/app/app.ts';
import type { FixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { type ArchiveAnswer, makeTalkingRepository, type SearchAnswer } from './talking-repository.ts';

let directory = '';
let app: App;
let repository: FixtureRepository;
let tenant: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-kept-logs-'));
  repository = await makeTalkingRepository(join(directory, 'repository'));
  app = await sharedApp();
  tenant = await makeTenant(app, repository.path);
  expect(await deploy(app, tenant.id, { target_version: 'v7.0.0' })).toMatchObject({ status: 'success', error: null });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${tenant.backend_port}${path}`);
const say = (text: string): Promise<Response> => ask(`/say?text=${encodeURIComponent(text)}`);
const call = async <T>(path: string): Promise<T> => {
  const { status, body } = await app.call<T>('GET', `/api/tenants/${tenant.id}/logs/${path}`);
  expect({ path, status, body: status === 200 ? undefined : body }).toEqual({ path, status: 200, body: undefined });
  return body;
};
const search = (query: Record<string, string>) => call<SearchAnswer>(`search?${new URLSearchParams(query)}`);
const archive = async () => (await call<ArchiveAnswer>('archive')).generations;

test('a line is found as soon as it was written, in any case, with the lines around it', async () => {
  for (const text of ['first of three', 'The Needle of Upper Valley', 'third of three']) await say(text);
  const { hits } = await until(
    () => search({ text: 'needle OF', context: '1' }),
    (answer) => answer.hits.length > 0,
  );
  expect(hits).toMatchObject([
    {
      unit: 'backend',
      message: 'The Needle of Upper Valley',
      level: null,
      before: [{ message: 'first of three' }],
      after: [{ message: 'third of three' }],
    },
  ]);
  const { lines } = await call<{ lines: { message: string }[] }>(`lines?line=${hits[0]?.id}&before=1&after=0`);
  expect(lines.map(({ message }) => message)).toEqual(['first of three', 'The Needle of Upper Valley']);
  expect((await search({ text: 'needle of', unit: 'frontend' })).hits).toEqual([]);
});

test('a unit killed by -9 leaves its last lines, and its generation says why it ended', async () => {
  await ask('/die').catch(() => undefined);
  const { hits } = await until(
    () => search({ level: 'error', context: '2' }),
    (answer) => answer.hits.length > 0,
  );
  expect(hits).toMatchObject([
    {
      message: 'TypeError: moon is undefined',
      level: 'error',
      before: [{}, { message: 'about to die' }],
      after: [{ message: '    at reach (moon.js:7)' }, {}],
    },
  ]);
  const last = await app.manager.app.logArchive.lastLines(tenant.id, 'api', 200);
  expect(last.map(({ message }) => message)).toContain('    at reach (moon.js:7)');
  // It is started again.
  await until(
    () => ask('/api/health').catch(() => undefined),
    (answer) => answer?.ok === true,
  );
});

test('a new deployment is another generation: the earlier one’s lines are found, also what it wrote last', async () => {
  const earlier = (await archive()).find(({ unit }) => unit === 'backend');
  expect(await deploy(app, tenant.id, { target_version: 'v7.1.0' })).toMatchObject({ status: 'success', error: null });
  await say('from the new generation');
  const generations = (await archive()).filter(({ unit }) => unit === 'backend');
  expect(generations).toMatchObject([
    { state: 'running', commit: repository.commits['v7.1.0'] },
    { state: 'replaced', commit: repository.commits['v7.0.0'], generation: earlier?.generation },
  ]);
  const { hits } = await search({ text: 'backend says goodbye' });
  expect(hits).toEqual([]);
  const goodbye = (await search({ text: 'api says goodbye' })).hits;
  expect(goodbye.map(({ generation }) => generation)).toEqual([earlier?.generation]);
  const own = await search({ generation: generations[0]?.generation ?? '', limit: '1' });
  expect(own.hits).toMatchObject([{ message: 'from the new generation' }]);
});

test('each line is kept once', async () => {
  await say('only once');
  await until(
    () => search({ text: 'only once' }),
    (answer) => answer.hits.length > 0,
  );
  await app.manager.app.logArchive.collectAll(new AbortController().signal);
  expect((await search({ text: 'only once' })).hits).toHaveLength(1);
});

test('pages continue where the last one ended', async () => {
  for (let count = 1; count <= 5; count += 1) await say(`page line ${count}`);
  await until(
    () => search({ text: 'page line' }),
    (answer) => answer.hits.length === 5,
  );
  const first = await search({ text: 'page line', limit: '3' });
  const second = await search({ text: 'page line', limit: '3', cursor: first.next_cursor ?? '' });
  expect([...first.hits, ...second.hits].map(({ message }) => message)).toEqual(
    [5, 4, 3, 2, 1].map((count) => `page line ${count}`),
  );
  expect(second.next_cursor).toBeNull();
});

test.each([
  ['search?cursor=nonsense', 'cursor'],
  ['search?since=yesterday', 'since'],
  ['search?generation=../../other', 'generation'],
  ['lines?line=api.x.1', 'line'],
  ['lines?line=api.../..1.1', 'line'],
])('%s is rejected, naming the field', async (path, field) => {
  const { status, body } = await app.call('GET', `/api/tenants/${tenant.id}/logs/${path}`);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_error' });
  expect(JSON.stringify(body)).toContain(field);
});

test('a line that is not kept is not found', async () => {
  const { status } = await app.call('GET', `/api/tenants/${tenant.id}/logs/lines?line=api.none.1.1`);
  expect(status).toBe(404);
});

test('a user’s many searches are refused beyond a few, and hold no one else’s', async () => {
  const viewer = await app.userOf('viewer');
  const path = `/api/tenants/${tenant.id}/logs/search?text=needle`;
  const many = Promise.all(Array.from({ length: 40 }, () => app.call<{ code?: string }>('GET', path, viewer)));
  expect((await app.call('GET', path)).status).toBe(200);
  const answers = await many;
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.map(({ body }) => body.code)).toEqual(refused.map(() => 'rate_limited'));
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40 - refused.length);
  // None stays open.
  expect((await app.call('GET', path, viewer)).status).toBe(200);
});

test('a deleted tenant’s logs are removed', async () => {
  const logs = join(app.directory, 'data', 'logs');
  expect(await readdir(logs)).toContain(tenant.id);
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  await until(
    () => readdir(logs),
    (left) => !left.includes(tenant.id),
  );
});
