import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, adminPassword } from '../../harness/app/app.ts';
import { startForTheFirstTime } from '../../harness/app/first-start.ts';
import { confirm, describeInBrowser, type Visit, visit } from '../../harness/browser/browser.ts';
import { svg } from '../../harness/data/pictures.ts';

/** Only the used parts of a page's globals; a browser's types would hide those of Node. */
declare const getComputedStyle: (element: unknown) => { getPropertyValue(name: string): string };

/** A volunteer's list: a title above the headers, semicolons, Windows-1252, a row without a name, one person twice. */
const signUps = Buffer.from(
  [
    'Sign-ups at the county fair;;;;',
    ';;;;',
    'Surname;Given Name;E-Mail Address;Town;ZIP Code',
    'NÚÑEZ;José;jose@example.org;Greenville;62246',
    'Müller;Zoë;zoe@example.org;Fairview;61432',
    'Okafor;;nameless@example.org;Oakdale;62268',
    'Nunez;Jose;jose@example.org;Greenville;62246',
  ].join('\r\n'),
  'latin1',
);
const wrongList = Buffer.from('First Name,Last Name,Email\nMallory,Wrong-List,mallory@example.org\n');

describeInBrowser('the complete life of a tenant, by a browser alone', () => {
  let app: App;
  let dashboard: Visit;
  let page: Page;
  let given = '';
  let repository = '';
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', repository, ...args], { stdio: 'ignore' });

  beforeAll(async () => {
    ({ app, password: given } = await startForTheFirstTime({ healthTimeoutMs: 30_000 }));
    repository = (await makeContactsRepository(join(app.directory, 'contacts'))).path;
    // The second version is not released yet.
    git('tag', '--delete', 'v1.1.0');
    dashboard = await visit(app.manager.dashboardUrl ?? '');
    page = dashboard.page;
  });
  afterAll(async () => {
    await app?.stop();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const heading = (name: string | RegExp) => page.getByRole('heading', { name });
  const section = (name: string) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name });

  /** Drops a list and accepts the proposals, up to the import button. */
  async function load(name: string, buffer: Buffer): Promise<void> {
    await section('Contact lists').click();
    await page.getByLabel('Choose a list').setInputFiles({ name, mimeType: 'text/csv', buffer });
    await heading('Is this your list?').waitFor();
    await link('Continue to columns').click();
    await heading('What is in each column?').waitFor();
    await button('Continue to check').click();
    await heading('Check results').waitFor();
    await link('Continue to import').click();
    await button(/^Import \d/).click();
  }

  test('sign in, create, deploy, load a list, theme, back up, upgrade, restore, delete', async () => {
    await page.goto('/tenants');
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password').fill(given);
    await button('Sign in').click();
    await page.getByLabel('Current password').fill(given);
    await page.getByLabel('New password', { exact: true }).fill(adminPassword);
    await page.getByLabel('Confirm new password').fill(adminPassword);
    await button('Change password').click();

    await heading('No tenants yet').waitFor();
    await button('New tenant').first().click();
    await page.getByLabel('Name', { exact: true }).fill('Riverside');
    await page.getByLabel('Git repository').fill(repository);
    await button('Create tenant').click();
    await heading('Ready to deploy').waitFor();
    await button('Deploy').click();
    await confirm(page, 'Deploy');
    await page.getByRole('status').getByText('Succeeded').waitFor({ timeout: 120_000 });
    await section('Overview').click();
    await button('Check now').first().click();
    await heading('Everything works').waitFor();

    // The tenant's own site, as its team sees it.
    const address = await page
      .getByRole('definition')
      .getByRole('link', { name: /^127\.0\.0\.1/ })
      .first()
      .getAttribute('href');
    const { page: site, complaints } = await visit(address ?? '');
    await site.goto('/');
    await site.getByText('There are no people yet.').waitFor();
    const people = async (): Promise<string[]> => {
      await site.reload();
      return site.locator('tbody strong').allInnerTexts();
    };

    await load('sign-ups.csv', signUps);
    await heading('2 people added').waitFor();
    expect((await people()).sort()).toEqual(['Müller', 'Núñez']);

    await section('Theme').click();
    await page.getByRole('textbox', { name: 'Primary', exact: true }).fill('#7A1FA2');
    const buffer = svg('<rect width="40" height="20" fill="#7A1FA2"/>');
    await page.getByLabel('Choose a full logo').setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer });
    await button('Save theme').click();
    await page.getByText('Restart to apply').waitFor();
    await button('Restart now').click();
    await confirm(page, 'Restart');
    await page.getByText('The site shows the saved theme').waitFor();
    await site.reload();
    expect(await site.locator('html').evaluate((root) => getComputedStyle(root).getPropertyValue('--primary'))).toBe(
      '#7A1FA2',
    );
    const drawn = (image: unknown): number => (image as { naturalWidth: number }).naturalWidth;
    expect(await site.getByRole('complementary').locator('img').evaluate(drawn)).toBeGreaterThan(0);

    await section('Backups').click();
    await button('Back up now').click();
    await page.getByRole('row', { name: 'Manual' }).getByText('Verified').waitFor();

    await section('Upgrade').click();
    await heading('Up to date: v1.0.0').waitFor();
    git('tag', '--annotate', '--message', 'Release v1.1.0', 'v1.1.0', 'main');
    await page.reload();
    await heading('v1.1.0 is ready').waitFor();
    await button('Upgrade…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Upgrade to v1.1.0' }).click();
    await page.getByText('Upgraded to v1.1.0, health check passed').waitFor({ timeout: 120_000 });
    await site.reload();
    await site.getByText('New in v1.1.0').waitFor();

    // A user loads the wrong list; the backup is restored, and the upgrade's migrations run again on it.
    await load('wrong.csv', wrongList);
    await heading('1 person added').waitFor();
    expect(await people()).toContain('Wrong-List');
    await section('Backups').click();
    await page.getByRole('row', { name: 'Manual' }).getByRole('button', { name: 'Actions for the backup' }).click();
    await page.getByRole('menuitem', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' });
    await dialog.getByLabel('Restore even though the versions differ').check();
    await dialog.getByLabel('Type riverside to confirm').fill('riverside');
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('The backup was restored, and the site is healthy').waitFor({ timeout: 120_000 });
    expect((await people()).sort()).toEqual(['Müller', 'Núñez']);
    expect(complaints).toEqual([]);

    await button('Actions for Riverside').click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel('Also delete its files, database and backups').check();
    await page.getByLabel('Type riverside to confirm').fill('riverside');
    await button('Delete tenant').click();
    await heading('No tenants yet').waitFor();
    await expect(fetch(address ?? '')).rejects.toThrow();
    expect(dashboard.complaints).toEqual([]);
  });
});
