import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';

describeInBrowser('the list of tenants in a browser', () => {
  let app: App;
  let page: Page;
  let complaints: string[];
  const names = ['Ashford', 'Müller & Söhne', 'Bright Harbor', 'Canalport', '=Delgado'];

  beforeAll(async () => {
    app = await startApp();
    for (const [number, name] of names.entries()) {
      const slug = `t-${number}`;
      const tags = number < 2 ? ['Ohio'] : [];
      const body = { name, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org`, tags };
      const made = await app.call<{ id: string }>('POST', '/api/tenants', { body });
      const status = { 'Bright Harbor': 'error', Canalport: 'stopped' }[name];
      if (status) await app.manager.app.tenants.setStatus(made.body.id, status as 'error' | 'stopped');
    }
    const visited = await visit(app.manager.dashboardUrl ?? '', { acceptDownloads: true });
    page = visited.page;
    complaints = visited.complaints;
    await page.goto('/tenants');
    await signIn(page);
    await page.getByRole('link', { name: 'Ashford' }).waitFor();
  });
  afterAll(async () => {
    await app?.stop();
  });

  const listed = () => page.getByRole('table').getByRole('link').allInnerTexts();
  const heads = () => page.getByRole('columnheader').getByRole('button').allInnerTexts();
  const clear = () => page.getByRole('button', { name: 'All', exact: true }).click();

  test('begins with trouble, finds without accents, and filters by what it shows', async () => {
    expect((await listed()).slice(0, 2)).toEqual(['Bright Harbor', 'Canalport']);
    await page.getByLabel('Search tenants').fill('SOHNE');
    await page.getByText('1 of 5 tenants').waitFor();
    expect(await listed()).toEqual(['Müller & Söhne']);
    await page.getByLabel('Search tenants').fill('');
    await page.getByRole('button', { name: 'More filters' }).click();
    await choose(page.getByLabel('Tag', { exact: true }), 'Ohio');
    await page.getByText('2 of 5 tenants').waitFor();
    expect(page.url()).toContain('tag=Ohio');
    expect((await listed()).sort()).toEqual(['Ashford', 'Müller & Söhne']);
    await choose(page.getByLabel('Last backup', { exact: true }), 'never');
    await page.getByText('2 of 5 tenants').waitFor();
    await choose(page.getByLabel('Response', { exact: true }), 'slow');
    await page.getByText('No matching tenants').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByText('5 tenants').waitFor();
    await choose(page.getByLabel('Tag', { exact: true }), 'No tag');
    await page.getByText('3 of 5 tenants').waitFor();
    expect((await listed()).sort()).toEqual(['=Delgado', 'Bright Harbor', 'Canalport']);
    await clear();
    await page.getByRole('button', { name: 'Not checked 5' }).click();
    await page.waitForURL('**/tenants?health=unknown');
    await page.getByText('5 tenants').waitFor();
    await clear();
  });

  test('filters by the time of the deployment', async () => {
    const { body } = await app.call<{ tenants: { id: string; name: string }[] }>('GET', '/api/tenants');
    const store = await openManagerStore(`sqlite:${app.directory}/data/tenantry.db`, createLogger({ level: 'silent' }));
    const deployed = (name: string, days: number) =>
      store.sequelize.query('UPDATE tenants SET deployed_at = :at WHERE id = :id', {
        replacements: {
          at: days === 0 ? null : new Date(Date.now() - days * 86_400_000),
          id: body.tenants.find((tenant) => tenant.name === name)?.id ?? '',
        },
      });
    await deployed('Ashford', 6);
    await deployed('Canalport', 31);
    await page.goto('/tenants?deployed=recent');
    await page.getByText('1 of 5 tenants').waitFor();
    expect(await listed()).toEqual(['Ashford']);
    await choose(page.getByLabel('Deployed', { exact: true }), 'Over 30 days ago');
    await page.getByRole('link', { name: 'Canalport' }).waitFor();
    expect(await listed()).toEqual(['Canalport']);
    await choose(page.getByLabel('Deployed', { exact: true }), 'never');
    await page.getByText('3 of 5 tenants').waitFor();
    for (const name of ['Ashford', 'Canalport']) await deployed(name, 0);
    await store.close();
    await clear();
  });

  test('exports what is shown, without formulas', async () => {
    await page.getByRole('button', { name: 'Name' }).click();
    await page.locator('[aria-sort="ascending"]').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('tenants.csv');
    const rows = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(rows.slice(1).map((row) => row.split(',')[0])).toEqual(
      (await listed()).map((name) => name.replace(/^=/, "'=")),
    );
    await page.getByRole('button', { name: 'Trouble first' }).click();
    await page.locator('[aria-sort="ascending"]').waitFor({ state: 'detached' });
  });

  test('tags many tenants on the manager; their labels get a colour', async () => {
    await page.getByLabel('Search tenants').fill('canal');
    await page.getByText('1 of 5 tenants').waitFor();
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Tag…' }).click();
    await page.getByLabel('Tags to add').fill('ohio, Pilots');
    await page.getByRole('button', { name: 'Tag 1 tenant' }).click();
    await page.getByRole('heading', { name: '1 tenant tagged' }).first().waitFor();
    await page.getByRole('row').getByText('Pilots').waitFor();
    await page.getByRole('row').getByText('Ohio').waitFor();
    const { body } = await app.call<{ tags: { name: string; tenants: number }[] }>('GET', '/api/tags');
    expect(body.tags.map(({ name, tenants }) => [name, tenants])).toEqual([
      ['Ohio', 3],
      ['Pilots', 1],
    ]);
    await page.getByRole('button', { name: 'Tag colours…' }).click();
    await choose(page.getByLabel('Colour of Pilots'), 'Clay');
    await page.locator('[role="dialog"] [data-color="clay"]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row').locator('[data-color="clay"]').waitFor();
    await clear();
  });

  test('keeps chosen columns and saved views across a reload', async () => {
    await page.getByText('5 tenants').waitFor();
    expect(await heads()).toEqual(['Name', 'Status', 'Health', 'Version', 'Last backup', 'Tags', 'Domain']);
    await page.getByRole('button', { name: 'Columns' }).click();
    expect(await page.getByRole('button', { name: 'Save view' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Hide Domain' }).click();
    // Other columns alone are a view.
    await page.getByRole('button', { name: 'Save view' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Show Response' }).click();
    await page.getByRole('columnheader', { name: 'Response' }).waitFor();
    await choose(page.getByLabel('Tag', { exact: true }), 'Pilots');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Ring 1');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Ring 1', pressed: true }).waitFor();
    await clear();
    await page.getByText('5 tenants').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Ashford' }).waitFor();
    expect(await heads()).toEqual(['Name', 'Status', 'Health', 'Version', 'Response', 'Last backup', 'Tags']);
    await page.getByRole('button', { name: 'Ring 1' }).click();
    await page.getByText('1 of 5 tenants').waitFor();
    expect(await listed()).toEqual(['Canalport']);
    // "All" returns to the columns from before the view.
    await clear();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Hide Tags' }).click();
    await page.getByRole('button', { name: 'Ring 1' }).click();
    await page.getByRole('columnheader', { name: 'Tags' }).waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).first().click();
    await page.getByRole('columnheader', { name: 'Tags' }).waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 960, height: 900 });
    await page.getByRole('columnheader', { name: 'Last backup' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Hide Last backup (no room for it here)' }).waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Show Tags' }).click();
    await page.getByRole('button', { name: 'Ring 1' }).click();
    // The same user in another browser.
    const elsewhere = await visit(app.manager.dashboardUrl ?? '');
    await elsewhere.page.goto('/tenants');
    await signIn(elsewhere.page);
    await elsewhere.page.getByRole('button', { name: 'Ring 1' }).click();
    await elsewhere.page.getByText('1 of 5 tenants').waitFor();
    await elsewhere.page.getByRole('columnheader', { name: 'Response' }).waitFor();
    await elsewhere.page.context().close();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await page.getByRole('button', { name: 'Ring 1' }).waitFor({ state: 'detached' });
    await clear();
  });

  test('is accessible, and a phone shows what matters', async () => {
    expect(await screen(page, 'tenant-list')).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('link', { name: 'Ashford' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await screen(page, 'tenant-list-phone')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('uses a wide window, and shows whole tags', async () => {
    const { body } = await app.call<{ tenants: { id: string; name: string }[] }>('GET', '/api/tenants?search=Ashford');
    const tags = ['Ohio', 'School board', 'Statewide', 'Volunteers of the county', 'Youth'];
    await app.call('PUT', `/api/tenants/${body.tenants[0]?.id}`, { body: { tags } });
    await page.setViewportSize({ width: 1920, height: 900 });
    await page.reload();
    const row = page.getByRole('row', { name: /Ashford/ });
    await row.getByText('Ohio').waitFor();
    expect((await page.getByRole('table').boundingBox())?.width).toBeGreaterThan(1_600);
    const cell = await row.locator('[title^="Ohio, "]').locator('..').boundingBox();
    const [bottom, right] = [(cell?.y ?? 0) + (cell?.height ?? 0), (cell?.x ?? 0) + (cell?.width ?? 0)];
    const boxes = await Promise.all(tags.map((name) => row.getByText(name, { exact: true }).boundingBox()));
    const shown = boxes.flatMap((box) => (box && box.y < bottom ? [box] : []));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.length).toBeLessThan(tags.length);
    for (const { x, width } of shown) expect(x + width).toBeLessThanOrEqual(right);
  });
});
