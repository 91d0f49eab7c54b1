import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { utils, write } from 'xlsx';
import { makeContactsRepository } from '../../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { listTaker, makeListTakerRepository } from '../../../harness/data/list-taker.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../../harness/data/tenants.ts';
import { startAssistantServer } from '../../../harness/servers/assistant-server.ts';

/**
 * Title rows, semicolons, Windows-1252, repeated headers, empty and malicious cells, a blank row, markup or formulas,
 * rows without a name.
 */
const messy = Buffer.from(
  [
    'County fair, sign-ups at the tent;;;;;;;;;;',
    'Printed 3 November 2026 by the office;;;;;;;;;;',
    ';;;;;;;;;;',
    'Surname;Given Name;Phone;Phone;E-Mail Address;Street Address;Town;ST;ZIP Code;Remarks;<img src=x onerror="alert(1)">',
    'NÚÑEZ;José;(312) 555-0140;;jose@example.org;20 Café Row;Greenville;Illinois;62246;pledged €5;x',
    'Müller;Zoë;312-555-0141;217.555.0161;zoe@example.org;21 Café Row, on the second floor above the old bakery;Fairview;IL;61432;<script>alert(2)</script>;',
    'O’Dowd;Siân;ask her;;sian@example.org;;Riverton;IL;62561;"=HYPERLINK(""http://example.org"")";',
    ';;;;;;;;;;',
    'Okafor;;312-555-0143;;nameless@example.org;;Oakdale;IL;62268;;',
    'Ångström;Bjørn;312-555-0144;;bjorn@@example;;Oakdale;IL;62268;;',
    'NUNEZ;Jose;312-555-0140;;jose@example.org;20 Café Row;Greenville;IL;62246;again;',
  ]
    .join('\r\n')
    .replaceAll('€', '\u0080')
    .replaceAll('’', '\u0092'),
  'latin1',
);
const markup = '<img src=x onerror="alert(1)">';

describeInBrowser('contact lists, by a browser', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let tenant: TenantAnswer;
  /** The same application, with configurable answers to imports. */
  let slow: TenantAnswer;
  let taker: ReturnType<typeof listTaker>;
  let url = '';
  let messyList = '';

  beforeAll(async () => {
    app = await startApp({ healthTimeoutMs: 20_000, importing: { rowsPerPart: 3, tenantTimeoutMs: 120_000 } });
    const contacts = await makeContactsRepository(join(app.directory, 'contacts'));
    const takerRepository = await makeListTakerRepository(join(app.directory, 'taker'));
    tenant = await deployed(contacts.path, { name: 'River Valley & Lower Bottoms Campaign' });
    slow = await deployed(takerRepository.path, { name: 'Hill County' });
    taker = listTaker(slow.backend_port);
    url = app.manager.dashboardUrl ?? '';
    first = await visit(url);
    page = first.page;
    await page.goto(`/tenants/${tenant.id}`);
    await signIn(page);
  });
  afterAll(async () => {
    // Their units would outlive the manager.
    for (const one of [tenant, slow]) if (one) await app.call('DELETE', `/api/tenants/${one.id}?remove_files=true`);
    await app?.stop();
  });

  async function deployed(repository: string, fields: Record<string, unknown>): Promise<TenantAnswer> {
    const { id } = await makeTenant(app, repository, fields);
    const { status, error } = await deploy(app, id);
    if (status !== 'success') throw new Error(`The deployment failed: ${JSON.stringify(error)}`);
    return getTenant(app, id);
  }

  const drop = (name: string, buffer: Buffer) =>
    page.getByLabel('Choose a list').setInputFiles({ name, mimeType: 'text/csv', buffer });
  const step = (name: string) => page.getByRole('navigation', { name: 'Steps' }).getByRole('link', { name });
  const heading = (name: string | RegExp) => page.getByRole('heading', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  /** A choice among the views of the same rows. */
  const show = (name: RegExp) => page.getByRole('navigation', { name: 'Show' }).getByRole('link', { name });
  /** The same page, reloaded. */
  const refresh = async (): Promise<void> => {
    const before = page.url();
    await page.reload();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(page.url()).toBe(before);
  };
  /** The tenant's own page, in a separate visit. */
  async function peopleSeen(search: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${tenant.frontend_port}/?search=${encodeURIComponent(search)}`);
    return response.text();
  }

  test('describes supported lists if there is none', async () => {
    await link('Contact lists').click();
    await heading('Supported list formats').waitFor();
    expect(await screen(page, 'lists-empty')).toEqual([]);
  });

  test('reports why a file is not a list', async () => {
    await drop('people.csv', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]));
    await page.getByRole('alert').getByText('Save it as CSV').waitFor();
    expect(await screen(page, 'lists-refused')).toEqual([]);
  });

  test('reports immediately that a list has no people, and offers no next step', async () => {
    await drop('headers-only.csv', Buffer.from('First name,Last name,Phone\n'));
    await heading('Is this your list?').waitFor();
    await page.getByText('there is no one to import').waitFor();
    expect(await link('Continue to columns').count()).toBe(0);
    await link('Contact lists').first().click();
  });

  test('shows how a messy list was read, and returns to it', async () => {
    await drop('Sign-ups at the county fair, second tent <b>bold.csv', messy);
    await heading('Is this your list?').waitFor();
    messyList = new URL(page.url()).pathname.replace(/\/preview$/, '');
    expect(messyList).toMatch(/\/lists\/imp_[\w-]+$/);
    await page.getByText('Text with semicolons, Windows-1252').waitFor();
    await page.getByText('2 title rows above row 4 are left out.').waitFor();
    await page.getByRole('columnheader', { name: 'Phone (2)' }).waitFor();
    await page.getByRole('columnheader', { name: markup }).waitFor();
    await page.getByRole('cell', { name: 'pledged €5' }).waitFor();
    await page.getByRole('cell', { name: '<script>alert(2)</script>' }).waitFor();
    expect(await screen(page, 'lists-preview')).toEqual([]);
    await refresh();
    await heading('Is this your list?').waitFor();
  });

  test('reads it again with other headers', async () => {
    const header = page.getByLabel('Column names');
    await choose(header, 'None: the list has no header row');
    await page.getByRole('columnheader', { name: 'Column A' }).waitFor();
    await choose(header, '4');
    await page.getByRole('columnheader', { name: 'Surname' }).waitFor();
  });

  test('suggests a field for each column, which can be changed; a reload loses nothing', async () => {
    await link('Continue to columns').click();
    await heading('What is in each column?').waitFor();
    await page.getByText('First name: from “Given Name”').waitFor();
    await page.getByText('Last name: from “Surname”').waitFor();
    // Only what needs a decision, until the user asks for more.
    await page.getByLabel('Field for Phone (2)').waitFor();
    expect(await page.getByLabel('Field for Surname').count()).toBe(0);
    await show(/^All/).click();
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    await row('Surname').getByText('NÚÑEZ').waitFor();
    await row('Surname')
      .getByText(/^Sure, 9\d %$/)
      .waitFor();
    expect(await screen(page, 'lists-columns')).toEqual([]);

    // A missing required field is shown, and blocks the next step.
    const surname = page.getByLabel('Field for Surname');
    await choose(surname, 'Not imported');
    await page.getByText('Choose a column for Last name to continue.').waitFor();
    await expect(button('Save and check').isDisabled()).resolves.toBe(true);
    await choose(surname, 'Notes');
    // Two columns for one field: shown at both, and joined.
    await page.getByText('Notes is already filled from “Surname”').waitFor();
    expect(await screen(page, 'lists-columns-wrong')).toEqual([]);
    await button('join both').first().click();
    await expect(page.getByLabel('Transform for Remarks').getAttribute('data-value')).resolves.toBe('join');
    await choose(surname, 'Last name');
    await page.getByText('Your choice').first().waitFor();

    // A custom field with its own name; a transform switched off.
    await choose(page.getByLabel('Field for Remarks'), 'Custom field');
    const own = page.getByLabel('Custom field name for Remarks');
    await expect(own.inputValue()).resolves.toBe('remarks');
    await own.fill('Bad name');
    await page.getByText('Use lower-case letters, digits').waitFor();
    await own.fill('pledge');
    await choose(page.getByLabel('Transform for Given Name'), 'No change');
    await refresh();
    await expect(own.inputValue()).resolves.toBe('pledge');
    await expect(page.getByLabel('Transform for Given Name').getAttribute('data-value')).resolves.toBe('none');
    await show(/Needs review/).click();
    await refresh();
    expect(new URL(page.url()).search).toBe('');
    await show(/^Imported/).click();
    await refresh();
    expect(new URL(page.url()).search).toBe('?show=kept');
  });

  test('saves them as a template', async () => {
    await button('Save as template…').click();
    await page.getByRole('dialog').waitFor();
    await expect(button('Save template').isDisabled()).resolves.toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(201));
    await button('Save template').click();
    await page.locator('[data-invalid]').first().waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Fair sign-ups');
    expect(await screen(page, 'lists-template')).toEqual([]);
    await button('Save template').click();
    await page.getByText('The template “Fair sign-ups” was saved.').waitFor();
  });

  test('checks the rows, with their numbers in the file', async () => {
    await button('Save and check').click();
    await heading('Check results').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'A name is missing: First name' });
    expect(await row.getByRole('cell').first().innerText()).toBe('9');
    await page.getByText('6 rows: 4 people, 1 duplicate of an earlier row, 1 left out.').waitFor();
    await page.getByText('None of the 4 people checked is in the tenant yet.').waitFor();
    expect(await screen(page, 'lists-check')).toEqual([]);
    await show(/With a warning/).click();
    await expect(page.getByLabel('Phone, row 7').inputValue()).resolves.toBe('ask her');
    expect(await screen(page, 'lists-check-remarks')).toEqual([]);
    await show(/Duplicates/).click();
    await page.getByText('Duplicate of row 5 of the file: the same e-mail address').waitFor();
    await refresh();
    await page.getByText('Duplicate of row 5 of the file: the same e-mail address').waitFor();
  });

  test('offers the rejected rows as a file', async () => {
    const waiting = page.waitForEvent('download');
    await button('Download left-out rows (CSV)').click();
    const saved = await waiting;
    expect(saved.suggestedFilename()).toMatch(/^Sign-ups at the county fair, .*, rows left out\.csv$/);
    expect(new URL(saved.url()).searchParams.has('ticket')).toBe(true);
    const text = await readFile(await saved.path(), 'utf8');
    const [, ...lines] = text.trim().split('\r\n');
    expect(lines).toEqual([expect.stringMatching(/^4,9,Given Name: The first name is missing,Okafor,/)]);
  });

  test('imports it; the people are in the tenant, and markup is text', async () => {
    await link('Continue to import').click();
    await heading('Import the list').waitFor();
    await page.getByLabel('Tags for all people').fill('fair, tent 2');
    expect(await screen(page, 'lists-import')).toEqual([]);
    await button('Import 4 people').click();
    await heading('4 people added').waitFor();
    await page.getByText('duplicates in the file').waitFor();
    // Added, updated, already in the tenant, duplicates in the file, rejected.
    expect(await page.getByRole('definition').allInnerTexts()).toEqual(['4', '0', '0', '1', '1']);
    expect(await screen(page, 'lists-result')).toEqual([]);
    await refresh();
    await heading('4 people added').waitFor();
    expect(await link('View people').getAttribute('href')).toBe(`http://127.0.0.1:${tenant.frontend_port}/`);
    const seen = await peopleSeen('Núñez');
    expect(seen).toContain('<strong>Núñez</strong>, José');
    expect(seen).toContain('tent 2');
    expect(await peopleSeen('Oakdale')).toContain('<strong>Ångström</strong>, Bjørn');
    expect(await peopleSeen('Okafor')).toContain('No one matches');
  });

  test('undoes it, and imports it again', async () => {
    await button('Undo import…').click();
    await page.getByRole('dialog').waitFor();
    expect(await screen(page, 'lists-undo')).toEqual([]);
    await button('Undo import').click();
    await heading('The import was undone').waitFor();
    expect(await screen(page, 'lists-undone')).toEqual([]);
    expect(await peopleSeen('Núñez')).toContain('No one matches');
    await button('Import again').click();
    await heading('4 people added').waitFor();
    expect(await peopleSeen('Núñez')).toContain('José');
  });

  test('recognizes the layout and the people of a repeated list', async () => {
    await link('Upload another list').click();
    await drop('the same again.csv', messy);
    await link('Continue to columns').click();
    await page.getByText('From the template “Fair sign-ups”.').waitFor();
    await expect(page.getByLabel('Custom field name for Remarks').inputValue()).resolves.toBe('pledge');
    await choose(page.getByLabel('Use a template'), 'Fair sign-ups');
    await button('Apply').click();
    await page.getByText('The template “Fair sign-ups” was applied.').waitFor();
    expect(await screen(page, 'lists-template-applied')).toEqual([]);
    await button('Continue to check').click();
    await page.getByText('4 of 4 people checked are already in the tenant.').waitFor();
    await link('Continue to import').click();
    await page.getByText('All people in the list are already in the tenant').waitFor();
    await choose(page.getByLabel('If a person already exists'), 'Update from the list');
    await button('Import 4 people').click();
    await heading('No new people').waitFor();
    await page.getByText('updated').waitFor();
  });

  test('a list mapped again after its import reports the imported people, and keeps its imported mapping', async () => {
    await page.goto(`${messyList}/columns`);
    await page.getByText('This list has been imported.').waitFor();
    await show(/^All/).click();
    await choose(page.getByLabel('Field for Town'), 'County');
    await button('Save and check').click();
    await heading('Check results').waitFor();
    await step('Import').click();
    await page.getByText('imported with other columns, and 4 people').waitFor();
    await expect(page.getByLabel('Tags for all people').inputValue()).resolves.toBe('fair, tent 2');
    expect(await screen(page, 'lists-mapped-again')).toEqual([]);
    await button('Undo import…').click();
    await button('Undo import').click();
    await button('Import again').click();
    await heading('4 people added').waitFor();
  });

  test('renames a template', async () => {
    await step('Columns').click();
    await choose(page.getByLabel('Use a template'), 'Fair sign-ups');
    await button('Rename…').click();
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await expect(name.inputValue()).resolves.toBe('Fair sign-ups');
    await name.fill('x'.repeat(201));
    await button('Save name').click();
    await page.locator('[data-invalid]').first().waitFor();
    await name.fill('Fairs & tents');
    expect(await screen(page, 'lists-template-rename')).toEqual([]);
    await button('Save name').click();
    await page.getByText('The template was renamed to “Fairs & tents”.').waitFor();
    await choose(page.getByLabel('Use a template'), 'Fairs & tents');
  });

  test('deletes a template', async () => {
    await button('Delete template…').click();
    await page.getByRole('dialog').waitFor();
    expect(await screen(page, 'lists-template-delete')).toEqual([]);
    await button('Delete template').click();
    await page.getByText('The template “Fairs & tents” was deleted.').waitFor();
    await until(
      () => page.getByLabel('Use a template').count(),
      (count) => count === 0,
    );
  });

  test('a workbook: one sheet of several, full names split', async () => {
    const book = utils.book_new();
    utils.book_append_sheet(book, utils.aoa_to_sheet([['Read me first']]), 'Notes');
    const people = [
      ['Full Name', 'Where', 'Cell'],
      ['VANTERPOOL, ROSA', 'Riverton, IL 62561', '312-555-0170'],
      ['Dr. Priya Kestrel-Lowe', 'Oakdale, IL 62268', '312-555-0131'],
      ['Nora Northcote', 'Springfield, IL 62701', '312-555-0172'],
    ];
    utils.book_append_sheet(book, utils.aoa_to_sheet(people), '2026 — walk list');
    await page.goto(`/tenants/${tenant.id}/lists`);
    await drop('book.xlsx', write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
    await page.getByText('Excel workbook (.xlsx)').waitFor();
    await choose(page.getByLabel('Sheet'), '2026 — walk list');
    await page.getByRole('columnheader', { name: 'Full Name' }).waitFor();
    expect(await screen(page, 'lists-workbook')).toEqual([]);
    await link('Continue to columns').click();
    await show(/^All/).click();
    await expect(page.getByLabel('Transform for Full Name').getAttribute('data-value')).resolves.toBe('full_name');
    await expect(page.getByLabel('Transform for Where').getAttribute('data-value')).resolves.toBe('city_state_zip');
    await button('Continue to check').click();
    await link('Continue to import').click();
    await button('Import 3 people').click();
    await heading('3 people added').waitFor();
    expect(await peopleSeen('Vanterpool')).toContain('Riverton, IL');
  });

  test('marks an AI provider’s suggestion; an unusable answer falls back to the rules, with a notice', async () => {
    const assistant = await startAssistantServer();
    const settings = { ai_provider_base_url: assistant.baseUrl, ai_provider_api_key: 'sk-1', ai_provider_model: 'm' };
    const setting = (key: string, value: string) => app.call('PUT', `/api/settings/${key}`, { body: { value } });
    try {
      for (const [key, value] of Object.entries(settings)) await setting(key, value);
      assistant.behave({ answer: { columns: [{ column: 2, target: 'precinct' }] } });
      await page.goto(`/tenants/${tenant.id}/lists`);
      const rows = 'Ada,Okonkwo,Quarry Vale,a ride\nBen,Castillo,Lower Bottoms,none\n';
      await drop('phone bank, 12 May.csv', Buffer.from(`First,Last,Turf,What she asked for\n${rows}`));
      await link('Continue to columns').click();
      await page.getByText('Suggested by the AI provider').waitFor();
      const turf = page.getByLabel('Field for Turf');
      await expect(turf.getAttribute('data-value')).resolves.toBe('precinct');
      await page.getByText('Likely, 70 %').waitFor();
      await button('Custom field “turf”').waitFor();
      await page.getByLabel('Field for What she asked for').scrollIntoViewIfNeeded();
      expect(await screen(page, 'lists-ai')).toEqual([]);

      assistant.behave({ answer: 'Sure! I have mapped all of your columns.' });
      await button('Suggest again').click();
      await page
        .getByText('answer does not match the requested format. The suggestions come from the built-in rules only.')
        .waitFor();
      await expect(page.getByLabel('Custom field name for Turf').inputValue()).resolves.toBe('turf');
      expect(await page.getByText('Suggested by the AI provider').count()).toBe(0);
      expect(await screen(page, 'lists-ai-failed')).toEqual([]);
    } finally {
      for (const key of Object.keys(settings)) await setting(key, '');
      await assistant.close();
    }
  });

  describe('a slow import', () => {
    const eight = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hana'];
    const list = Buffer.from(`First Name,Last Name\n${eight.map((name) => `${name},Example\n`).join('')}`);

    async function begin(): Promise<void> {
      await page.goto(`/tenants/${slow.id}/lists`);
      await drop('volunteers.csv', list);
      await link('Continue to columns').click();
      await button('Continue to check').click();
      await link('Continue to import').click();
      await button('Import 8 people').click();
      await heading('Import in progress').waitFor();
    }
    const held = async (calls: number): Promise<unknown> =>
      until(
        () => taker.state(),
        (state) => state.calls.length === calls,
      );

    test('shows its progress, also after a reload, and can be cancelled', async () => {
      await taker.faults({}, { hold: true });
      await begin();
      await page.getByText('3 of 8 rows').waitFor();
      await held(2);
      // The tenant's header follows it.
      await page.getByRole('status').getByText('Importing a list').waitFor();
      await link('volunteers.csv').waitFor();
      expect(await screen(page, 'lists-importing')).toEqual([]);
      await refresh();
      await page.getByText('3 of 8 rows').waitFor();
      // Steps that would change it are disabled during the import.
      expect(await step('Columns').count()).toBe(0);
      await button('Cancel import…').click();
      expect(await screen(page, 'lists-cancel')).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click();
      await taker.release();
      await heading('The import was cancelled').waitFor();
      // The part that was being sent may be imported: it can be undone.
      await button('Undo import…').waitFor();
      expect(await screen(page, 'lists-cancelled')).toEqual([]);
      await button('Import again').click();
      await heading('8 people added').waitFor();
      await page.getByText('Importing a list').waitFor({ state: 'detached' });
    });

    test('a long check shows its progress, continues while other pages are open, and ends with its findings', async () => {
      const rows = 400_000;
      await page.goto(`/tenants/${slow.id}/lists`);
      await drop('whole county.csv', Buffer.from(`First,Last,Email\n${'Ada,Example,ada@@example\n'.repeat(rows)}`));
      await link('Continue to columns').click();
      await button('Continue to check').click();
      await page.getByText(/^[\d,]+ of 400,000 rows read, \d+ %$/).waitFor();
      await step('Preview').click();
      await heading('Is this your list?').waitFor();
      await step('Check').click();
      await heading('Check results').waitFor();
      await page.getByText('400,000').first().waitFor();
    });

    test('continues while the connection is lost, and is shown when it returns', async () => {
      await taker.forget();
      await taker.faults({ hold: true });
      await begin();
      await held(1);
      await page.context().setOffline(true);
      await taker.release();
      await until(
        () => taker.state(),
        (state) => state.rows.length === 8,
      );
      await page.context().setOffline(false);
      await heading('8 people added').waitFor();
    });

    test('fails with the reason, and can be imported again', async () => {
      await taker.forget();
      await taker.faults({}, { status: 400, detail: 'The <b>precinct</b> is not known' });
      await begin();
      await heading('The import failed').waitFor();
      await page.getByText('The <b>precinct</b> is not known').waitFor();
      expect(await screen(page, 'lists-failed')).toEqual([]);
    });

    test('is not started while the tenant is down: the list is unchanged', async () => {
      await taker.forget();
      await app.call('POST', `/api/tenants/${slow.id}/stop`);
      await button('Import again').click();
      await page.getByRole('alert').getByText('start it').waitFor();
      expect(await screen(page, 'lists-down')).toEqual([]);
      await app.call('POST', `/api/tenants/${slow.id}/start`);
    });
  });

  test('a long file shows its progress and can be cancelled; one that is too long is rejected', async () => {
    const setting = (value: number) => app.call('PUT', '/api/settings/import_max_upload_mb', { body: { value } });
    const row = 'Ada,Example,ada@example.org\n';
    const long = Buffer.from(`First,Last,Email\n${row.repeat(Math.ceil(6_000_000 / row.length))}`);
    await page.goto(`/tenants/${tenant.id}/lists`);
    await heading('Previous lists').waitFor();
    const network = await page.context().newCDPSession(page);
    const speed = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await speed(400_000);
    await drop('voters of the whole county.csv', long);
    await page.getByText(/^\d.*of 6 MB$/).waitFor();
    expect(await screen(page, 'lists-sending')).toEqual([]);
    await button('Cancel').click();
    await page.getByLabel('Choose a list').waitFor();
    await speed(-1);
    await setting(1);
    await drop('voters of the whole county.csv', long);
    await page.getByRole('alert').getByText('Split it').waitFor();
    await setting(200);
  });

  test('lists imports, and deletes a list', async () => {
    await page.goto(`/tenants/${tenant.id}/lists`);
    await page.getByRole('row').filter({ hasText: 'book.xlsx' }).getByText('Imported').waitFor();
    expect(await screen(page, 'lists-history')).toEqual([]);
    await link('the same again.csv').click();
    await button('Actions for this list').press('Enter');
    await page.getByRole('menuitem', { name: 'Delete list' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await screen(page, 'lists-delete')).toEqual([]);
    await button('Delete list').click();
    await page.getByText('the same again.csv was deleted.').waitFor();
    await heading('Previous lists').waitFor();
    await until(
      () => link('the same again.csv').count(),
      (count) => count === 0,
    );
    // An address that no longer exists.
    await page.goto(`/tenants/${tenant.id}/lists/imp_0123456789abcdef/check`);
    await heading('This list no longer exists').waitFor();
  });

  test('works completely by the keyboard', async () => {
    await page.goto(`/tenants/${tenant.id}/lists`);
    await drop('keys.csv', Buffer.from('First Name,Last Name,Email\nQuinn,Underhill,quinn@example.org\n'));
    for (const name of ['Continue to columns', 'Continue to check', 'Continue to import', 'Import 1 person']) {
      const target = page.locator('a, button').getByText(name, { exact: true }).or(button(name)).first();
      await target.waitFor();
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        if (await target.evaluate((node) => (node as never as { matches(s: string): boolean }).matches(':focus')))
          break;
      }
      await page.keyboard.press('Enter');
    }
    await heading('1 person added').waitFor();
  });

  test('a viewer sees the result, but not the people', async () => {
    const { password } = await app.userOf('viewer');
    const users = await app.call<{ users: { username: string; role: string }[] }>('GET', '/api/users');
    const username = users.body.users.find(({ role }) => role === 'viewer')?.username ?? '';
    const { page: other, complaints } = await visit(url);
    await other.goto(`/tenants/${tenant.id}/lists`);
    await signIn(other, username, password);
    await other.getByRole('heading', { name: 'Previous lists' }).waitFor();
    expect(await other.getByLabel('Choose a list').count()).toBe(0);
    for (const step of ['import', 'preview']) {
      await other.goto(`${messyList}/${step}`);
      await other.getByRole('heading', { name: '4 people added' }).waitFor();
      await other.getByText('Operators and administrators can see the people in this list').waitFor();
      expect(await other.getByRole('main').getByRole('button').count()).toBe(0);
      expect(await other.getByRole('navigation', { name: 'Steps' }).count()).toBe(0);
    }
    expect(await screen(other, 'lists-viewer')).toEqual([]);
    expect(complaints).toEqual([]);
    await other.context().close();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(first.complaints.filter((complaint) => !complaint.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});
