import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';
import { listTaker, makeListTakerRepository } from '../../../harness/data/list-taker.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';

describeInBrowser('choices for the columns and rows of a list', () => {
  let app: App;
  let page: Page;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    app = await startApp({ healthTimeoutMs: 20_000 });
    const { path } = await makeListTakerRepository(join(app.directory, 'taker'));
    const { id } = await makeTenant(app, path);
    expect(await deploy(app, id)).toMatchObject({ status: 'success' });
    tenant = await getTenant(app, id);
    ({ page } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto(`/tenants/${tenant.id}/lists`);
    await signIn(page);
  });
  afterAll(async () => {
    if (tenant) await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const fields = () => page.getByLabel(/^Field for /);
  const show = (name: RegExp) => page.getByRole('navigation', { name: 'Show' }).getByRole('link', { name });

  /** Uploads a list and opens its columns. */
  async function openColumns(name: string, rows: readonly string[]): Promise<void> {
    await page.goto(`/tenants/${tenant.id}/lists`);
    await page
      .getByLabel('Choose a list')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) });
    await page.getByRole('link', { name: 'Continue to columns' }).click();
    await page.getByRole('heading', { name: 'What is in each column?' }).waitFor();
  }

  test('a phone lists only the columns that need review, until all are asked for', async () => {
    const sure = ['First Name,Last Name,Email', 'Rosa,Vanterpool,rosa@example.org', 'Kofi,Everly,kofi@example.org'];
    await openColumns('sure.csv', sure);
    expect(await fields().count()).toBe(3);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.getByText('No columns need review.').waitFor();
    expect(await fields().count()).toBe(0);
    await show(/^All \(3\)/).click();
    await fields().nth(2).waitFor();

    const unsure = ['First Name,Last Name,Blorp', 'Rosa,Vanterpool,Quarry Vale', 'Kofi,Everly,Oakdale'];
    await openColumns('unsure.csv', unsure);
    await page.getByLabel('Field for Blorp').waitFor();
    expect(await fields().count()).toBe(1);
    expect(await screen(page, 'lists-columns-phone')).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('sensitive columns are imported only if they are chosen', async () => {
    const rows = [
      'First Name,Last Name,race_code,drivers_lic',
      'Rosa,Vanterpool,AS,D1234567',
      'Kofi,Everly,BL,E7654321',
    ];
    await openColumns('sensitive.csv', rows);
    await page.getByText('Imported only if you choose so').first().waitFor();
    await show(/^Not imported \(2\)/).click();
    await page.getByText('Sensitive (race or ethnicity): imported only if you choose it').waitFor();
    await page.getByText('Sensitive (driver’s licence): imported only if you choose it').waitFor();
    expect(await screen(page, 'lists-sensitive')).toEqual([]);
    await choose(page.getByLabel('Field for race_code'), 'Custom field');
    await importThem('Import 2 people');
    const sent = JSON.stringify(await listTaker(tenant.backend_port).state());
    expect(sent).toContain('AS');
    expect(sent).not.toContain('D1234567');
  });

  test('duplicate rows are merged: the first, its gaps filled from the others', async () => {
    const rows = [
      'First Name,Last Name,Email,City,Notes',
      'Delia,Penny,delia@example.org,,first',
      'Delia,Penny,delia@example.org,Mounds,second',
      'Kofi,Everly,kofi@example.org,Alton,other',
    ];
    await openColumns('twice.csv', rows);
    await importThem('Import 2 people', async () => {
      await choose(page.getByLabel('For the 1 duplicate row in this file'), 'merge');
      expect(await screen(page, 'lists-merge')).toEqual([]);
    });
    const { rows: people } = await listTaker(tenant.backend_port).state();
    const delia = people
      .map(([, person]) => Object.values(person))
      .filter((cells) => cells.includes('delia@example.org'));
    expect(delia).toHaveLength(1);
    expect(delia[0]).toEqual(expect.arrayContaining(['Delia', 'Penny', 'Mounds', 'first']));
  });

  /** From the columns to the end of the import. */
  async function importThem(submit: string, before = async (): Promise<void> => undefined): Promise<void> {
    await page.getByRole('button', { name: /to check$|Save and check/ }).click();
    await page.getByRole('link', { name: 'Continue to import' }).click();
    await button(submit).waitFor();
    await before();
    await button(submit).click();
    await page.getByRole('heading', { name: '2 people added' }).waitFor();
  }
});
