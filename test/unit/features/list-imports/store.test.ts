import { expect, test } from '@jest/globals';
import {
  createImportOperations,
  createJobStore,
  createLearnedStore,
  createTemplateStore,
  type ImportJob,
} from '../../../../src/features/list-imports/store.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { newRecord } from '../../../../src/lib/operations/operation.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

let made = 0;
/** A job; each is later than the previous one. */
function jobOf(tenantId: string, changes: Partial<ImportJob> = {}): ImportJob {
  made += 1;
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, made, 7));
  return {
    id: `imp_${made}`,
    tenantId,
    filename: 'Wähler 🗳.xlsx',
    filePath: '/data/imports/x/list',
    fileSize: 2 ** 40,
    rowCount: 3,
    status: 'pending',
    layout: {
      format: 'csv',
      encoding: 'utf-8',
      delimiter: ',',
      quotes: true,
      sheet: null,
      sheets: [],
      headerRow: 1,
      firstRow: 2,
      headers: ['First', 'Last'],
    },
    mappings: null,
    mappingWarnings: null,
    templateId: null,
    validation: null,
    result: null,
    progress: null,
    options: null,
    run: 0,
    createdAt: at,
    updatedAt: at,
    createdBy: 'eva',
    fileRemovedAt: null,
    ...changes,
  };
}

eachStore('lists in the store', (store) => {
  test('are returned unchanged, newest first', async () => {
    await addTenant(store(), 'a');
    const jobs = createJobStore(store(), systemClock);
    const written = [
      jobOf('a'),
      jobOf('a', { mappings: [{ source: 'First', target: 'first_name', confidence: 0.9 }] }),
    ];
    for (const job of written) await jobs.insert(job);
    for (const job of written) expect(await jobs.find(job.id)).toEqual(job);
    const { items, total } = await jobs.list('a', { limit: 10, offset: 0 });
    expect([total, items]).toEqual([2, written.toReversed()]);
    expect(await jobs.recorded(['imp_none', ...written.map(({ id }) => id)])).toEqual(
      new Set(written.map(({ id }) => id)),
    );
    await expect(jobs.insert(jobOf('nobody'))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('change only from the specified states', async () => {
    await addTenant(store(), 'b');
    const jobs = createJobStore(store(), systemClock);
    const job = jobOf('b');
    await jobs.insert(job);
    expect(await jobs.update(job.id, { status: 'importing' }, ['ready'])).toBe(false);
    expect(await jobs.update(job.id, { status: 'analyzing' }, ['pending', 'ready'])).toBe(true);
    expect((await jobs.inState(['analyzing'])).map(({ id }) => id)).toEqual([job.id]);
    expect(await jobs.update('imp_none', { status: 'ready' })).toBe(false);
  });

  test('expire when unused, but not while in use', async () => {
    await addTenant(store(), 'c');
    const jobs = createJobStore(store(), systemClock);
    const old = new Date(Date.UTC(2020, 0, 1));
    const [one, busy, gone, young] = [
      jobOf('c', { updatedAt: old }),
      jobOf('c', { updatedAt: old, status: 'importing' }),
      jobOf('c', { updatedAt: old, fileRemovedAt: old }),
      jobOf('c'),
    ];
    for (const job of [one, busy, gone, young]) await jobs.insert(job);
    const found = await jobs.untouchedSince(new Date(Date.UTC(2021, 0, 1)), 10);
    expect(found.map(({ id }) => id)).toEqual([one.id]);
    await jobs.remove(busy.id);
  });

  test('have a record of their work, whose cancellation requests survive; it is deleted with the list', async () => {
    await addTenant(store(), 'd');
    const jobs = createJobStore(store(), systemClock);
    const job = jobOf('d');
    await jobs.insert(job);
    const operations = createImportOperations(store(), ({ input }) => (input as { jobId: string }).jobId);
    const asked = { subject: 'd', input: { jobId: job.id }, state: {}, createdAt: new Date(Date.UTC(2026, 0, 2)) };
    const record = newRecord({ kind: 'import', steps: [{ name: 'Import' }] }, { id: undefined, ...asked });
    await operations.insert(record);
    expect(await operations.underWay(job.id)).toEqual(record);
    const at = new Date(Date.UTC(2026, 0, 3, 0, 0, 0, 5));
    await operations.requestCancel(record.id, at);
    const running = { ...record, status: 'running' as const, startedAt: at, state: { part: 2 } };
    await operations.save(running);
    expect(await operations.unfinished()).toEqual([{ ...running, cancelRequestedAt: at }]);
    expect(await operations.open([record.id, 'none'])).toEqual(new Set([record.id]));
    await operations.save({ ...running, status: 'success' });
    expect(await operations.unfinished()).toEqual([]);
    expect(await operations.underWay(job.id)).toBeUndefined();
    await expect(operations.insert({ ...record, id: 'x', input: { jobId: 'imp_none' } })).rejects.toMatchObject({
      code: 'not_found',
    });
    await jobs.remove(job.id);
    expect(await operations.open([record.id])).toEqual(new Set());
  });

  test('are deleted with their tenant', async () => {
    await addTenant(store(), 'e');
    const jobs = createJobStore(store(), systemClock);
    const job = jobOf('e');
    await jobs.insert(job);
    await store().sequelize.getQueryInterface().bulkDelete('tenants', { id: 'e' });
    expect(await jobs.find(job.id)).toBeUndefined();
  });

  test('have learned mappings: the last choice for a column', async () => {
    const learned = createLearnedStore(store());
    const mapping = {
      id: 'l',
      header: 'blorp',
      valueKind: 'words',
      source: 'Blorp',
      target: 'county' as const,
      transform: null,
      createdAt: new Date(Date.UTC(2026, 0, 1)),
      createdBy: 'eva',
    };
    await learned.save(mapping);
    await learned.save({ ...mapping, id: 'm', valueKind: 'phone' });
    await learned.save({ ...mapping, id: 'n', target: 'city', transform: 'none', createdBy: 'ada' });
    expect(await learned.find('l')).toEqual({ ...mapping, target: 'city', transform: 'none', createdBy: 'ada' });
    expect(await learned.withHeaders(['other', 'blorp'])).toHaveLength(2);
    expect(await learned.withHeaders(['other'])).toEqual([]);
    await learned.remove('l');
    expect(await learned.list({ limit: 9, offset: 0 })).toMatchObject({ total: 1, items: [{ id: 'm' }] });
  });

  test('have templates', async () => {
    const templates = createTemplateStore(store());
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, 9));
    const template = {
      id: 't',
      name: 'Spring',
      description: null,
      mappings: [{ source: 'First', target: 'first_name' as const, confidence: 1 }],
      createdAt: at,
      updatedAt: at,
      createdBy: 'eva',
    };
    await templates.insert(template);
    expect(await templates.find('t')).toEqual(template);
    const changed = { ...template, name: 'Autumn', updatedAt: new Date(Date.UTC(2026, 0, 2)) };
    expect(await templates.update('t', changed)).toBe(true);
    expect(await templates.update('none', changed)).toBe(false);
    expect(await templates.list({ limit: 1, offset: 0 })).toEqual({ items: [changed], total: 1 });
    expect(await templates.all()).toEqual([changed]);
    expect([await templates.remove('t'), await templates.remove('t')]).toEqual([true, false]);
  });
});
