import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { type App, startApp } from '../../harness/app/app.ts';
import { listTaker, makeListTakerRepository } from '../../harness/data/list-taker.ts';
import { analyze, askImport, endOfImport, execute, listPath, statusOf, upload } from '../../harness/data/lists.ts';
import { streamMessage } from '../../harness/data/stream-message.ts';
import { deploy, endOf, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { alertsAbout } from '../incidents/incident-answers.ts';

/** Parts of three rows, so that eight rows make three of them. */
const rowsPerPart = 3;
const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hana'];
const list = `First Name,Last Name\n${people.map((name) => `${name},Example\n`).join('')}`;

let directory: string;
let repository: string;
let app: App;
let tenant: TenantAnswer;
let taker: ReturnType<typeof listTaker>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-execute-'));
  repository = (await makeListTakerRepository(join(directory, 'repository'))).path;
  app = await startApp({ healthTimeoutMs: 20_000, importing: { rowsPerPart, tenantTimeoutMs: 12_000 } });
  tenant = await newTenant();
  taker = listTaker(tenant.backend_port);
});
afterAll(async () => {
  const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
  for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  // The lists of a deleted tenant are deleted with it.
  await until(
    () => readdir(join(app.directory, 'data', 'imports')),
    (names) => names.every((name) => name === 'operations'),
  );
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await taker.forget();
  await taker.faults();
});

async function newTenant(): Promise<TenantAnswer> {
  const made = await makeTenant(app, repository);
  expect(await deploy(app, made.id)).toMatchObject({ status: 'success', error: null });
  return getTenant(app, made.id);
}

const call = <T = Record<string, unknown>>(method: string, rest: string, options = {}) =>
  app.call<T>(method, listPath(tenant.id, rest), options);
const run = (id: string, body = {}) => execute(app, tenant.id, id, body);
const begin = (id: string, body = {}) => askImport(app, tenant.id, id, body);
const status = (id: string) => statusOf(app, tenant.id, id);
const ended = (id: string) => endOfImport(app, tenant.id, id);

/** A list with mappings. */
async function ready(content = list, name = 'people.csv'): Promise<string> {
  const { job_id } = await upload(app, tenant.id, content, name);
  await analyze(app, tenant.id, job_id);
  return job_id;
}

/** The people in the application, in batch order. */
async function arrived(batch: string): Promise<(string | undefined)[]> {
  const { rows } = await taker.state();
  const own = rows.map(([key, row]) => ({ batch: key.split(':')[0], at: Number(key.split(':')[1]), row }));
  return own
    .filter((entry) => entry.batch === batch)
    .sort((a, b) => a.at - b.at)
    .map(({ row }) => row.first_name);
}

const started = (id: string) =>
  until(
    () => taker.state(),
    ({ calls }) => calls.some(({ batch_id }) => batch_id === id),
  );

/** Changes the store without the manager, in a separate process. */
function inStore(statement: string, directory = app.directory): void {
  const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  const path = join(directory, 'data', 'tenantry.db');
  execFileSync(process.execPath, ['-e', script, path, statement], { stdio: 'ignore' });
}

/** All log messages of work on lists. */
async function operationLogs(): Promise<string> {
  const operations = join(app.directory, 'data', 'imports', 'operations');
  const names = await readdir(operations);
  return (await Promise.all(names.map((name) => readFile(join(operations, name), 'utf8')))).join('');
}

/** Messages of an import's stream until it ends. */
async function watch(id: string): Promise<{ messages: Record<string, unknown>[]; closed: Promise<number> }> {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws/imports/${id}`, {
    headers: { authorization: `Bearer ${app.token}` },
  });
  const messages: Record<string, unknown>[] = [];
  socket.on('message', (data) => messages.push(streamMessage(`/ws/imports/${id}`, String(data))));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { messages, closed };
}

describe('an import', () => {
  test('sends the list to the application part by part, with all that it needs, and leaves no file', async () => {
    const id = await ready(list, 'Spring, list.csv');
    const early = await watch(id);
    const news: Record<string, unknown>[] = [];
    const stopListening = app.manager.app.events.on('import', (event) => news.push(event));
    const end = await run(id, {
      skip_duplicates: false,
      update_existing: true,
      tags: ['autumn', 'door'],
      list_name: 'Spring',
    });
    stopListening();
    expect(end).toMatchObject({ status: 'completed', import_result: { batch_id: id, imported: 8, total: 8 } });
    expect(end.progress).toEqual({ total: 8, processed: 8, success: 8, failed: 0, duplicates: 0, updated: 0 });
    expect(await arrived(id)).toEqual(people);

    const { calls, files } = await taker.state();
    expect(files).toEqual([]);
    expect(calls.map(({ part, row_offset, there, files }) => [part, row_offset, there, files.length <= 2])).toEqual([
      [1, 0, true, true],
      [2, 3, true, true],
      [3, 6, true, true],
    ]);
    expect(new Set(calls.map(({ file_path }) => file_path)).size).toBe(3);
    expect(new Set(calls.map(({ import_date }) => import_date)).size).toBe(1);
    expect(calls[0]).toMatchObject({
      batch_id: id,
      list_name: 'Spring',
      import_source: 'Spring',
      import_filename: 'Spring, list.csv',
      skip_duplicates: false,
      update_existing: true,
      tags: ['autumn', 'door'],
      mappings: { first_name: 'first_name', last_name: 'last_name', 'original.First Name': 'skip' },
    });

    expect(await early.closed).toBe(1000);
    const late = await watch(id);
    expect(await late.closed).toBe(1000);
    for (const { messages } of [early, late]) {
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
      expect(messages.at(-1)).toMatchObject({
        type: 'complete',
        job_id: id,
        status: 'completed',
        import_result: { imported: 8 },
      });
    }
    const socket = io(`${app.url}/streams`, { auth: { token: app.token }, transports: ['websocket'] });
    const overSocketIo: unknown[] = [];
    socket.on('message', (message: unknown) => overSocketIo.push(message));
    expect(await socket.emitWithAck('subscribe', { stream: 'import', id })).toMatchObject({ ok: true });
    await until(
      async () => overSocketIo.length,
      (length) => length === late.messages.length,
    );
    expect(overSocketIo).toEqual(late.messages);
    expect(await socket.emitWithAck('subscribe', { stream: 'import', id: 'imp_nothing' })).toMatchObject({
      ok: false,
      code: 'not_found',
    });
    socket.close();
    const processed = early.messages
      .filter(({ type, status }) => type === 'progress' && status === 'importing')
      .map(({ progress }) => (progress as { processed: number }).processed);
    // Before the first part it may have reported the progress of the check.
    expect(processed.filter((rows, at) => rows > 0 || at === 0)).toEqual([0, 3, 6, 8, 8]);
    expect(news.at(0)).toEqual({ type: 'import', tenant_id: tenant.id, job_id: id, status: 'importing' });
    expect(news.at(-1)).toEqual({ type: 'import', tenant_id: tenant.id, job_id: id, status: 'completed' });
  });

  test('a check reports the number of rows read, the state of the import, and its end', async () => {
    const rows = 100_000;
    const id = await ready(`First Name,Last Name,Email\n${'Ada,Example,ada@example.org\n'.repeat(rows)}`);
    const { messages, closed } = await watch(id);
    expect(await call('POST', `${id}/validate`)).toMatchObject({ status: 200, body: { total: rows } });
    await until(
      async () => messages,
      (all) => all.length > 1 && all.at(-1)?.check === undefined,
    );
    await call('DELETE', id);
    expect(await closed).toBe(1000);
    const checks = messages.flatMap(({ check }) => (check ? [check as { total: number; processed: number }] : []));
    const read = checks.map(({ processed }) => processed);
    expect(new Set(checks.map(({ total }) => total))).toEqual(new Set([rows]));
    expect(read).toEqual(read.toSorted((one, other) => one - other));
    expect([(read[0] ?? 0) > 0 && (read[0] ?? 0) < rows, read.at(-1)]).toEqual([true, rows]);
    for (const message of messages)
      expect(message).toMatchObject({ type: 'progress', status: 'ready', progress: { total: rows, processed: 0 } });
  });

  test('names a list after its file by default', async () => {
    const id = await ready(list, `${'long '.repeat(50)}.csv`);
    await run(id);
    const { calls } = await taker.state();
    expect(calls[0]?.list_name).toBe('long '.repeat(40));
    expect(calls[0]).toMatchObject({ skip_duplicates: true, update_existing: false, tags: [] });
  });

  test.each([
    ['the answer was lost', { lose: true }],
    ['the connection broke', { hangUp: true }],
    ['the application could not just then', { status: 503 }],
    ['the application was overwhelmed', { status: 429 }],
  ])('%s: sends the part again, and imports no one twice', async (_what, fault) => {
    const id = await ready();
    await taker.faults({}, fault, fault, {});
    expect(await run(id)).toMatchObject({ status: 'completed', import_result: { imported: 8 } });
    expect(await arrived(id)).toEqual(people);
    const { calls, files } = await taker.state();
    expect(calls.map(({ part }) => part)).toEqual([1, 2, 2, 2, 3]);
    // Identical in every word: the application recognizes it by that.
    const [first, again] = calls
      .filter(({ part }) => part === 2)
      .map(({ fault: _, files: __, ...asked }: object & { fault?: unknown; files?: unknown }) => asked);
    expect(again).toEqual(first);
    expect(files).toEqual([]);
  });

  test.each([
    ['refuses', { status: 400, detail: 'mappings: no such field' }, /answered 400 .*: mappings: no such field$/],
    ['knows no such key', { status: 401 }, /answered 401/],
    ['answers with something else', { garbage: true }, /does not match the contract/],
    ['has read other rows', { answer: { total: 2 } }, /figures do not add up: of 3 rows it reports 2 as read/],
  ])('an application that %s: the import fails immediately, with its message', async (_what, fault, reason) => {
    const id = await ready();
    await taker.faults({}, fault);
    const { status: end, import_result, progress } = await run(id);
    expect(end).toBe('failed');
    expect(import_result?.error).toMatch(reason);
    expect(progress).toMatchObject({ processed: 3, success: 3 });
    expect((await taker.state()).files).toEqual([]);
  });

  test('an application that becomes unavailable: fails with the reason; executed again, the import continues the same batch', async () => {
    const id = await ready();
    await taker.faults({}, ...Array.from({ length: 20 }, () => ({ hangUp: true })));
    expect(await run(id)).toMatchObject({
      status: 'failed',
      import_result: { imported: 3, error: expect.any(String) },
    });
    await taker.faults();
    const reported = await until(
      async () => (await alertsAbout(app, 'import')).find(({ link }) => link.endsWith(`/${id}`)),
      (alert) => alert !== undefined,
    );
    expect(reported).toMatchObject({ severity: 'error', title: `${tenant.name}: Import failed` });
    expect(await run(id)).toMatchObject({ status: 'completed', import_result: { batch_id: id, imported: 8 } });
    expect(await arrived(id)).toEqual(people);
  });

  test('reports rows that the application rejects by their list rows', async () => {
    const content =
      'First Name,Last Name,Notes\nAda,Example,a\n,Nameless,b\nBen,Example,c\n\nCleo,Example,=d\nDan,Example,e\n';
    const id = await ready(content);
    await taker.faults({ refuse: [3] }, { refuse: [1] });
    const end = await run(id);
    expect([end.status, end.import_result?.error]).toEqual(['completed', undefined]);
    expect(end).toMatchObject({ status: 'completed', import_result: { imported: 2, failed: 3 } });
    expect(end.progress).toEqual({ total: 5, processed: 5, success: 2, failed: 3, duplicates: 0, updated: 0 });
    const { body, headers } = await call<{ text: string }>('GET', `${id}/errors.csv`);
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = body.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^row,file_row,/);
    expect(lines[1]).toMatch(/^2,3,.*,Nameless,b$/);
    expect(lines[2]).toMatch(/^4,6,.*instructed to reject =this.*,Cleo,Example,'=d$/);
    expect(lines[3]).toMatch(/^5,7,.*,Dan,Example,e$/);
  });

  test('continues after a short failure of the store, and leaves no file', async () => {
    const id = await ready();
    await taker.faults({ hold: true });
    await begin(id);
    await started(id);
    const away = ['tenants', 'import_jobs'];
    for (const table of away) inStore(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    try {
      await taker.release();
      await until(
        () => operationLogs(),
        (text) => /Part 2: .*no such table.*; attempt \d+ at/.test(text),
      );
    } finally {
      for (const table of away) inStore(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    }
    expect(await ended(id)).toMatchObject({ status: 'completed', progress: { processed: 8, success: 8 } });
    expect(await arrived(id)).toEqual(people);
    expect((await taker.state()).files).toEqual([]);
  });

  test('reports when it retries a part after a 500, and is cancelled immediately', async () => {
    const id = await ready();
    await taker.faults({}, ...Array.from({ length: 20 }, () => ({ status: 500, detail: 'out of memory' })));
    const { messages } = await watch(id);
    await begin(id);
    const { progress } = await until(
      () => status(id),
      (answer) => (answer.progress.retry?.attempt ?? 0) >= 5,
    );
    expect(progress).toMatchObject({ processed: 3, success: 3 });
    expect(progress.retry?.reason).toMatch(/500.*out of memory/);
    expect(progress.retry?.next_attempt_at).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    const attempts = () => messages.map((message) => (message.progress as typeof progress).retry?.attempt);
    await until(
      async () => attempts(),
      (attempts) => attempts.includes(5),
    );
    expect(attempts()).toContain(2);
    const { calls } = await taker.state();
    await call('POST', `${id}/cancel`);
    const end = await ended(id);
    expect(end).toMatchObject({ status: 'failed', import_result: { imported: 3, error: 'Cancelled' } });
    expect(end.progress.retry).toBeUndefined();
    // Not even the next scheduled attempt was made.
    expect((await taker.state()).calls).toHaveLength(calls.length);
    await taker.faults();
  });

  test('cancelled: keeps the imported rows and skips the rest', async () => {
    const id = await ready();
    await taker.faults({}, { hold: true });
    await begin(id);
    await until(
      () => taker.state(),
      ({ calls }) => calls.length === 2,
    );
    expect(await status(id)).toMatchObject({ status: 'importing', progress: { processed: 3, success: 3 } });
    const cancelled = await call('POST', `${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 202, body: { job_id: id } });
    expect(await ended(id)).toMatchObject({ status: 'failed', import_result: { error: 'Cancelled', imported: 3 } });
    expect((await taker.state()).files).toEqual([]);
    await taker.release();
    expect(await call('POST', `${id}/cancel`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test('excludes a second import of the tenant and operations that remove the data; a backup runs concurrently', async () => {
    const [id, other] = [await ready(), await ready()];
    await taker.faults({ hold: true });
    await begin(id);
    await started(id);
    const busy = { status: 409, body: { code: 'operation_in_progress' } };
    expect(await call('POST', `${other}/execute`)).toMatchObject(busy);
    expect(await call('POST', `${id}/execute`)).toMatchObject(busy);
    expect(await call('POST', `${id}/undo`)).toMatchObject(busy);
    expect(await app.call('DELETE', `/api/tenants/${tenant.id}`)).toMatchObject(busy);
    expect(await app.call('POST', `/api/tenants/${tenant.id}/upgrade`, { body: {} })).toMatchObject({ status: 409 });
    const changed = { status: 409, body: { code: 'invalid_state' } };
    expect(await call('POST', `${id}/analyze`)).toMatchObject(changed);
    expect(await call('POST', `${id}/validate`)).toMatchObject(changed);
    expect(await call('DELETE', id)).toMatchObject(changed);
    const mappings = [
      { source: 'First Name', target: 'first_name' },
      { source: 'Last Name', target: 'last_name' },
    ];
    expect(await call('PUT', `${id}/mappings`, { body: { mappings } })).toMatchObject(changed);
    const backup = await app.call<{ id: string }>('POST', `/api/tenants/${tenant.id}/backups`);
    expect(backup.status).toBe(201);
    const restore = `/api/tenants/${tenant.id}/backups/${backup.body.id}/restore`;
    expect(await app.call('POST', restore, { body: {} })).toMatchObject(busy);
    expect(await status(other)).toMatchObject({ status: 'ready' });
    await taker.release();
    expect(await ended(id)).toMatchObject({ status: 'completed' });
    expect(await run(other)).toMatchObject({ status: 'completed' });
  });

  test('continues while its tenant is restarted', async () => {
    const id = await ready();
    await taker.faults({ hold: true });
    await begin(id);
    await started(id);
    expect((await app.call('POST', `/api/tenants/${tenant.id}/restart`)).status).toBe(200);
    expect(await ended(id)).toMatchObject({ status: 'completed', import_result: { imported: 8 } });
    expect(await arrived(id)).toEqual(people);
  });

  test('does not start if it cannot: the list is unchanged', async () => {
    const id = await ready();
    const stranger = await makeTenant(app, repository);
    const theirs = (await upload(app, stranger.id, list)).job_id;
    const path = (rest: string) => listPath(stranger.id, `${theirs}/${rest}`);
    expect(await app.call('POST', path('execute'))).toMatchObject({ status: 400, body: { code: 'job_not_ready' } });
    await analyze(app, stranger.id, theirs);
    expect(await app.call('POST', path('execute'))).toMatchObject({ status: 409, body: { code: 'not_deployed' } });
    expect(await call('POST', `${theirs}/execute`)).toMatchObject({ status: 404 });

    expect((await app.call('POST', `/api/tenants/${tenant.id}/stop`)).status).toBe(200);
    const down = await call('POST', `${id}/execute`);
    expect(down).toMatchObject({ status: 502, body: { code: 'tenant_unreachable' } });
    expect(await status(id)).toMatchObject({ status: 'ready', import_result: null });
    expect((await app.call('POST', `/api/tenants/${tenant.id}/start`)).status).toBe(200);
    expect(await run(id)).toMatchObject({ status: 'completed' });
    expect(await call('POST', `${id}/execute`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  test.each([
    [{ tags: ['x'.repeat(101)] }, 'tags.0'],
    [{ tags: 'autumn' }, 'tags'],
    [{ skip_duplicates: 'yes' }, 'skip_duplicates'],
    [{ list_name: '' }, 'list_name'],
    [{ batch: 1 }, 'batch'],
  ])('rejects %j, naming the field', async (body, field) => {
    const id = await ready();
    expect(await call('POST', `${id}/execute`, { body })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', issues: [{ path: field }] },
    });
    expect(await status(id)).toMatchObject({ status: 'ready' });
  });

  test('a list of only rejected rows completes without people', async () => {
    const id = await ready('First Name,Last Name,Notes\n,,x\n,,y\n');
    const end = await run(id);
    expect(end).toMatchObject({ status: 'completed', progress: { total: 2, processed: 2, success: 0, failed: 2 } });
    expect((await taker.state()).calls).toEqual([]);
  });

  test('with other mappings is another batch', async () => {
    const id = await ready();
    await run(id);
    const mappings = [
      { source: 'First Name', target: 'last_name' },
      { source: 'Last Name', target: 'first_name' },
    ];
    expect(await call('PUT', `${id}/mappings`, { body: { mappings } })).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    });
    expect(await run(id)).toMatchObject({ status: 'completed', import_result: { batch_id: `${id}.2` } });
    expect(await arrived(`${id}.2`)).toEqual(people.map(() => 'Example'));
  });

  test('cannot be undone if the application does not support it', async () => {
    const id = await ready();
    expect(await call('POST', `${id}/undo`)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    await run(id);
    const undone = await call('POST', `${id}/undo`);
    expect(undone).toMatchObject({
      status: 502,
      body: { code: 'tenant_error', detail: expect.stringContaining('404') },
    });
    expect(await status(id)).toMatchObject({ status: 'completed' });
  });

  test('excludes a running undo, whose progress starts from zero', async () => {
    const [id, other, broken] = [await ready(), await ready(), await ready()];
    await run(id);
    await taker.faults({ status: 422 });
    await run(broken);
    await taker.faults({ removes: true, hold: true });
    const undone = call('POST', `${id}/undo`);
    await until(
      () => taker.state(),
      ({ removals }) => removals.includes(id),
    );
    const busy = { status: 409, body: { code: 'operation_in_progress', detail: expect.stringContaining('undo') } };
    for (const one of [id, other, broken]) expect(await call('POST', `${one}/execute`)).toMatchObject(busy);
    expect(await call('POST', `${broken}/undo`)).toMatchObject(busy);
    await taker.release();
    expect(await undone).toMatchObject({ status: 200, body: { status: 'ready', removed: 8, kept: 0 } });

    const none = { total: 8, processed: 0, success: 0, failed: 0, duplicates: 0, updated: 0 };
    expect(await status(id)).toMatchObject({ progress: none, import_result: { imported: 8, removed: 8 } });
    const { messages } = await watch(id);
    expect(await run(id)).toMatchObject({ status: 'completed', import_result: { batch_id: `${id}.2`, imported: 8 } });
    expect(messages[0]).toMatchObject({ type: 'progress', status: 'ready', progress: none });
  });

  test('is left open by a manager that stops, and the next one continues it', async () => {
    const other = await startApp({ healthTimeoutMs: 20_000, importing: { rowsPerPart, tenantTimeoutMs: 12_000 } });
    const own = await makeTenant(other, repository);
    await endOf(
      other,
      (await other.call<{ deployment_id: string }>('POST', `/api/tenants/${own.id}/deploy`)).body.deployment_id,
    );
    const theirs = listTaker(own.backend_port);
    const { job_id: id } = await upload(other, own.id, list);
    await analyze(other, own.id, id);
    await theirs.faults({}, { hold: true });
    await askImport(other, own.id, id);
    await until(
      () => theirs.state(),
      ({ calls }) => calls.length === 2,
    );
    await other.manager.stop();
    const next = await startApp({ directory: other.directory, importing: { rowsPerPart, tenantTimeoutMs: 12_000 } });
    expect(await endOfImport(next, own.id, id)).toMatchObject({ status: 'completed', import_result: { imported: 8 } });
    const { calls, rows, files } = await theirs.state();
    expect(calls.map(({ part }) => part)).toEqual([1, 2, 2, 3]);
    expect([rows.length, files]).toEqual([8, []]);

    // A failed one starts again, and the manager is killed before the work is recorded: it is still the same batch.
    await theirs.forget();
    await theirs.faults({}, { status: 400, detail: 'enough' });
    const { job_id: again } = await upload(next, own.id, list, 'again.csv');
    await analyze(next, own.id, again);
    expect(await execute(next, own.id, again)).toMatchObject({ status: 'failed', import_result: { imported: 3 } });
    await next.manager.stop();
    inStore(`UPDATE import_jobs SET status = 'importing', import_result = NULL WHERE id = '${again}'`, other.directory);
    const last = await startApp({ directory: other.directory, importing: { rowsPerPart, tenantTimeoutMs: 12_000 } });
    expect(await statusOf(last, own.id, again)).toMatchObject({
      status: 'failed',
      import_result: { batch_id: again, error: 'The manager ended before the import began' },
    });
    await theirs.faults();
    expect(await execute(last, own.id, again)).toMatchObject({
      status: 'completed',
      import_result: { batch_id: again },
    });
    expect((await theirs.state()).rows).toHaveLength(8);
    await last.call('DELETE', `/api/tenants/${own.id}?remove_files=true`);
    await last.stop();
    await rm(other.directory, { recursive: true, force: true });
  });
});
