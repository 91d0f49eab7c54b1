import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { makeContactsRepository } from '../../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import {
  choose,
  confirm,
  describeInBrowser,
  dialogClosed,
  screen,
  signIn,
  type Visit,
  visit,
} from '../../../harness/browser/browser.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';

const list = [
  'First Name,Last Name,Cell Phone,Email,City',
  'Rosa,,312-555-0170,rosa@example.org,Alton',
  'Kofi,Everly,ask his mother,kofi(at)example.org,Alton',
  'Priya,Kestrel,ask his mother,priya(at)example.org,Cairo',
  'Delia,Penny,312-555-0173,,Cairo',
  'Delia,Penny,312-555-0173,delia@example.org,Mounds',
].join('\n');

describeInBrowser('a list whose rows are corrected in the dashboard', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    app = await startApp({ healthTimeoutMs: 20_000 });
    const { path } = await makeContactsRepository(join(app.directory, 'contacts'));
    const { id } = await makeTenant(app, path);
    expect(await deploy(app, id)).toMatchObject({ status: 'success' });
    tenant = await getTenant(app, id);
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
    await page.goto(`/tenants/${tenant.id}/lists`);
    await signIn(page);
  });
  afterAll(async () => {
    if (tenant) await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const show = (name: RegExp) => page.getByRole('navigation', { name: 'Show' }).getByRole('link', { name });
  const cell = (name: string) => page.getByLabel(name, { exact: true });
  const peopleSeen = async (search: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${tenant.frontend_port}/?search=${encodeURIComponent(search)}`)).text();

  test('shows the rows with the cells to correct', async () => {
    await page
      .getByLabel('Choose a list')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(list) });
    await page.getByRole('link', { name: 'Continue to columns' }).click();
    await button('Continue to check').click();
    await page.getByText('A name is missing: Last name').waitFor();
    await expect(cell('First Name, row 2').inputValue()).resolves.toBe('Rosa');
    await expect(cell('Last Name, row 2').getAttribute('aria-invalid')).resolves.toBe('true');
    expect(await screen(page, 'lists-correct')).toEqual([]);
  });

  test('keeps corrections until they are saved, and asks before they are lost', async () => {
    await cell('Last Name, row 2').fill('Vanterpool');
    await page.getByText('1 unsaved correction').waitFor();
    await page.getByRole('link', { name: 'Tenants', exact: true }).first().click();
    await page.getByText('Leave without saving?').waitFor();
    await button('Keep editing').click();
    await cell('Last Name, row 2').fill('');
    await page.getByText('1 unsaved correction').waitFor({ state: 'detached' });
    await cell('Last Name, row 2').fill('Vanterpool');
    await show(/With a warning/).click();
    await cell('Cell Phone, row 3').fill('312-555-0171');
    await page.getByLabel('All cells with “ask his mother”').check();
    await page.getByText('2 unsaved corrections').waitFor();
    expect(await screen(page, 'lists-correct-unsaved')).toEqual([]);
    await button('Save and check again').click();
    await page.getByText('2 corrections').waitFor();
    await show(/Left out \(0\)/).waitFor();
    expect(await page.getByText('Invalid phone number').count()).toBe(0);
  });

  test('finds and replaces in a column, and undoes it', async () => {
    await button('Find and replace…').click();
    await choose(page.getByLabel('Column', { exact: true }), 'Email');
    await expect(button('Replace and check again').isDisabled()).resolves.toBe(true);
    await page.getByLabel('Find', { exact: true }).fill('(at)');
    await page.getByLabel('Replace with').fill('@');
    expect(await screen(page, 'lists-replace')).toEqual([]);
    await confirm(page, 'Replace and check again');
    await dialogClosed(page);
    await show(/With a warning \(0\)/).waitFor();
    await page.getByText('3 corrections').click();
    await page.getByText('Email: “(at)” becomes “@” in all cells').waitFor();
    expect(await screen(page, 'lists-corrections')).toEqual([]);
    await button('Undo').first().click();
    await show(/With a warning \(2\)/).waitFor();
    await button('Find and replace…').click();
    await choose(page.getByLabel('Column', { exact: true }), 'Email');
    await page.getByLabel('Find', { exact: true }).fill('(at)');
    await page.getByLabel('Replace with').fill('@');
    await confirm(page, 'Replace and check again');
    await show(/With a warning \(0\)/).waitFor();
  });

  test('shows the duplicates and imports the row that the user prefers', async () => {
    await show(/Duplicates \(1\)/).click();
    await page.getByText('Duplicate of row 5 of the file').waitFor();
    await page.getByRole('link', { name: 'Continue to import' }).click();
    await choose(page.getByLabel('For the 1 duplicate row in this file'), 'Keep the last row');
    expect(await screen(page, 'lists-import-duplicates')).toEqual([]);
    await button('Import 4 people').click();
    await page.getByRole('heading', { name: '4 people added' }).waitFor();
    expect(await peopleSeen('Delia')).toContain('Mounds');
    expect(await peopleSeen('Vanterpool')).toContain('Rosa');
  });

  test('suggests what the user chose for a column in the next list, until it is forgotten', async () => {
    const upload = async (name: string): Promise<void> => {
      await page.goto(`/tenants/${tenant.id}/lists`);
      await page
        .getByLabel('Choose a list')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(list.replace('City', 'Blorp')) });
      await page.getByRole('link', { name: 'Continue to columns' }).click();
      await page.getByRole('heading', { name: 'What is in each column?' }).waitFor();
      await show(/^All/).click();
    };
    await upload('first.csv');
    await choose(page.getByLabel('Field for Blorp'), 'County');
    await button('Save and check').click();
    await page.getByRole('heading', { name: 'Check results' }).waitFor();
    await upload('second.csv');
    await page.getByText(/^Chosen by admin for this column on \d+ \w+ 20\d\d/).waitFor();
    await expect(page.getByLabel('Field for Blorp').getAttribute('data-value')).resolves.toBe('county');
    expect(await screen(page, 'lists-learned')).toEqual([]);
    await button('Forget this choice').click();
    await page.getByText('Forgotten: the next lists').first().waitFor();
    await button('Suggest again').click();
    await page.getByText(/^Chosen by admin/).waitFor({ state: 'detached' });
  });

  test('causes no browser errors', () => {
    expect(first.complaints).toEqual([]);
  });
});
