import { expect, test } from '@jest/globals';
import type { Store } from '../../../../src/adapters/store/store.ts';
import { createAnalysisStore } from '../../../../src/features/themes/website-analysis/store.ts';
import { paletteScale } from '../../../../src/features/themes/website-analysis/suggestions/palette-scale.ts';
import { newRecord } from '../../../../src/lib/operations/operation.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

async function addTenant({ sequelize }: Store, id: string): Promise<void> {
  const row = { id, name: id, slug: id, status: 'pending', health_status: 'unknown', directory: `/data/${id}` };
  await sequelize.getQueryInterface().bulkInsert('tenants', [{ ...row, created_at: new Date(), search_text: id }]);
}

const record = (tenantId: string, minute: number) =>
  newRecord(
    { kind: 'theme analysis', steps: [{ name: 'Read website' }] },
    {
      subject: tenantId,
      input: { tenantId, websiteUrl: `https://example.org/${'ä'.repeat(1_900)}`, captureScreenshot: true },
      state: {},
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute, 0, 7)),
    },
  );
const suggestion = (analysisId: string, number: number) => ({
  id: `${analysisId.slice(0, 30)}-${number}`,
  analysisId,
  suggestion_number: number,
  name: 'Website blue',
  description: 'The website’s blue',
  primary_color: '#15295B',
  secondary_color: '#D7263D',
  accent_color: '#00888F',
  text_color: '#22252B',
  palette_json: paletteScale('#15295B'),
  reasoning: 'Made by rules. '.repeat(100),
});

eachStore('theme analyses in the store', (store) => {
  test('returns records unchanged, updates states, keeps cancellation requests', async () => {
    await addTenant(store(), 'kept');
    const rows = createAnalysisStore(store());
    const made = record('kept', 1);
    await rows.insert(made);
    expect(await rows.find(made.id)).toMatchObject({
      status: 'processing',
      createdAt: made.createdAt,
      finishedAt: null,
    });
    const at = new Date(Date.UTC(2026, 5, 1, 12, 0, 0, 7));
    await rows.requestCancel(made.id, at);
    expect(await rows.unfinished()).toEqual([{ ...made, cancelRequestedAt: at }]);
    const error = { step: 'Read website', message: 'example.org could not be found' };
    await rows.save({ ...made, status: 'failed', outcome: 'failed', error, finishedAt: at });
    expect(await rows.find(made.id)).toMatchObject({ status: 'failed', error: error.message, finishedAt: at });
    expect(await rows.unfinished()).toEqual([]);
  });

  test('replaces suggestions as a whole, returns them in order, and deletes them with their tenant', async () => {
    await addTenant(store(), 'suggested');
    const rows = createAnalysisStore(store());
    const made = record('suggested', 2);
    await rows.insert(made);
    const three = [3, 1, 2].map((number) => suggestion(made.id, number));
    for (const _ of ['first', 'again after a crash']) await rows.suggest(made.id, three);
    const [first, ...rest] = await rows.suggestions(made.id);
    expect([first, ...rest].map((one) => one?.suggestion_number)).toEqual([1, 2, 3]);
    expect(first).toEqual(three[1]);
    expect(await rows.suggestion(three[0]?.id ?? '')).toEqual(three[0]);

    await store().sequelize.getQueryInterface().bulkDelete('tenants', { id: 'suggested' });
    expect(await rows.recorded([made.id])).toEqual(new Set());
    expect(await rows.suggestions(made.id)).toEqual([]);
    await expect(rows.suggest(made.id, three)).rejects.toMatchObject({ code: 'not_found' });
    await expect(rows.insert(record('suggested', 3))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('the latest is the newest; old pictures are those of ended analyses, once', async () => {
    await addTenant(store(), 'old');
    const rows = createAnalysisStore(store());
    const [one, two, open] = [record('old', 4), record('old', 5), record('old', 6)] as const;
    for (const made of [two, one, open]) await rows.insert(made);
    for (const made of [one, two]) {
      const state = { screenshot: { file: 'a.png', problem: null } };
      await rows.save({ ...made, status: 'success', state });
    }
    expect((await rows.latest('old'))?.id).toBe(open.id);
    expect(await rows.list('old', { limit: 2, offset: 1 })).toMatchObject({
      items: [{ id: two.id }, { id: one.id }],
      total: 3,
    });
    expect(await rows.open([one.id, open.id])).toEqual(new Set([open.id]));
    const before = new Date(Date.UTC(2026, 0, 2));
    const old = (await rows.withOldPictures(before, 10)).filter((id) => [one.id, two.id, open.id].includes(id));
    expect(old).toEqual([one.id, two.id]);
    expect((await rows.find(one.id))?.screenshot).toBe('a.png');
    await rows.picturesRemoved([one.id], new Date());
    expect((await rows.find(one.id))?.screenshot).toBeNull();
    expect(await rows.withOldPictures(before, 10)).not.toContain(one.id);
  });
});
