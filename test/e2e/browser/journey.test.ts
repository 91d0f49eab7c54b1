import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, adminPassword } from '../../harness/app/app.ts';
import { startForTheFirstTime } from '../../harness/app/first-start.ts';
import { confirm, describeInBrowser, screen, signInAgain, type Visit, visit } from '../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { makeTenant, until } from '../../harness/data/tenants.ts';

/** Only the used parts of a page's document; a browser's global types would hide those of Node. */
declare const document: {
  cookie: string;
  documentElement: { dataset: Record<string, string> };
  activeElement: { getAttribute(name: string): string | null; textContent: string } | null;
};

describeInBrowser('the dashboard, by a browser', () => {
  let app: App;
  let first: Visit;
  let url = '';
  let given = '';
  let repository = '';
  const named = 'Müller <b>& Söhne</b>';

  beforeAll(async () => {
    ({ app, password: given } = await startForTheFirstTime());
    url = app.manager.dashboardUrl ?? '';
    const made = await makeFixtureRepository(join(app.directory, 'repository'));
    await made.release('v1.2.0', {
      'install.js': "console.log('installed \\u001b[31m<img src=x onerror=alert(1)>\\u001b[0m');\n",
    });
    repository = made.path;
    first = await visit(url);
  });
  afterAll(async () => {
    await app?.stop();
  });

  async function adminToken(): Promise<string> {
    const { body } = await app.call<{ access_token: string }>('POST', '/api/auth/login', {
      token: null,
      body: { username: 'admin', password: adminPassword },
    });
    return body.access_token;
  }

  test('signs in on the requested page, after a first change of the password', async () => {
    const { page } = first;
    await page.goto('/tenants?status=running');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await screen(page, 'sign-in')).toEqual([]);
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Wrong username or password').waitFor();
    await page.getByLabel('Password').fill(given);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    expect(await screen(page, 'password')).toEqual([]);
    await page.getByLabel('Current password').fill(given);
    await page.getByLabel('New password', { exact: true }).fill('password1234');
    await page.getByLabel('Confirm new password').fill('password1234');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('[data-invalid]').first().waitFor();
    await page.getByLabel('New password', { exact: true }).fill(adminPassword);
    await page.getByLabel('Confirm new password').fill(adminPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('heading', { name: 'No tenants yet' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=running');
    expect(await screen(page, 'empty')).toEqual([]);
    app.token = await adminToken();
  });

  test('the session is a cookie that scripts cannot read', async () => {
    const { page } = first;
    const [cookie, ...more] = await page.context().cookies();
    expect(more).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(kept).not.toContain(cookie?.value);
  });

  test('creates a tenant with proposed names, and shows errors next to the fields', async () => {
    const { page } = first;
    await page.getByRole('button', { name: 'New tenant' }).click();
    await page.getByLabel('Name', { exact: true }).fill(named);
    await expect(page.getByLabel('Short name').inputValue()).resolves.toBe('mueller-b-soehne-b');
    await page.getByLabel('Short name').fill('Not a slug');
    await page.getByRole('button', { name: 'Create tenant' }).click();
    await page.getByText('starting with a letter').waitFor();
    expect(await screen(page, 'create')).toEqual([]);
    await page.getByLabel('Short name').fill('mueller');
    await expect(page.getByLabel('Domain', { exact: true }).inputValue()).resolves.toBe('mueller.example.org');
    await page.getByLabel('Git repository').fill(repository);
    await page.getByRole('button', { name: 'Create tenant' }).click();
    await page.getByRole('heading', { name: named, level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Ready to deploy' }).waitFor();
    expect(await screen(page, 'tenant-new')).toEqual([]);
  });

  test('deploys, and watches it to its end', async () => {
    const { page } = first;
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('dialog').getByText('Latest release (v1.2.0)').waitFor({ state: 'attached' });
    await confirm(page, 'Deploy');
    await page.getByRole('heading', { name: 'Steps' }).waitFor();
    await page.getByRole('status').getByText('Succeeded').waitFor();
    // Colours and markup in a log are text.
    await page.getByText('installed <img src=x onerror=alert(1)>', { exact: true }).waitFor();
    expect(await screen(page, 'deployment')).toEqual([]);
    await page.getByLabel('Search log').fill('migrating first');
    await page.getByText('1 line', { exact: true }).waitFor();
    await page.locator('mark').getByText('migrating first').waitFor();
  });

  test('shows it running and healthy', async () => {
    const { page } = first;
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Check now' }).first().click();
    await page.getByRole('heading', { name: 'Everything works' }).waitFor();
    expect(await screen(page, 'overview')).toEqual([]);
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByRole('row').getByText('Succeeded').waitFor();
    expect(await screen(page, 'deployments')).toEqual([]);
    await page.getByRole('link', { name: 'Logs' }).click();
    await page.getByText('api of v1.2.0 listens').waitFor();
    const log = page.getByRole('region', { name: 'Logs' }).last();
    await log.locator('time').nth(1).waitFor();
    const times = await log
      .locator('time')
      .evaluateAll((found: { dateTime: string }[]) => found.map((one) => one.dateTime));
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted());
    expect(await log.locator('time').first().getAttribute('title')).toContain('UTC');
    expect(await screen(page, 'logs')).toEqual([]);
  });

  test('stops it from the list, which updates automatically', async () => {
    const { page } = first;
    await page.getByRole('link', { name: 'Tenants', exact: true }).first().click();
    const row = page.getByRole('row', { name: named });
    await row.getByText('Running').waitFor();
    expect(await screen(page, 'tenants')).toEqual([]);
    await row.getByRole('button', { name: `Actions for ${named}` }).press('Enter');
    await page.getByRole('menuitem', { name: 'Stop', exact: true }).waitFor();
    expect(await screen(page, 'menu')).toEqual([]);
    // A menu closes when the window changes its size.
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: `Actions for ${named}` }).press('Enter');
    await page.getByRole('menuitem', { name: 'Stop', exact: true }).click();
    await confirm(page, 'Stop');
    await row.getByText('Stopped').waitFor();
    // Another user starts it: the open page shows it.
    app.token = await adminToken();
    const { body: list } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants');
    await app.call('POST', `/api/tenants/${list.tenants[0]?.id}/start`);
    await row.getByText('Running').waitFor();
  });

  test('after a session has ended, the user signs in again on the same page', async () => {
    const { page } = first;
    await page.getByRole('link', { name: named }).click();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByRole('row').getByText('Succeeded').waitFor();
    const before = page.url();
    await app.call('POST', '/api/auth/logout');
    await page.getByText('Your session has ended').waitFor();
    await signInAgain(page);
    await page.getByRole('row').getByText('Succeeded').waitFor();
    expect(page.url()).toBe(before);
  });

  test('deletes it after typing its short name', async () => {
    const { page } = first;
    await page.getByRole('button', { name: `Actions for ${named}` }).press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const submit = page.getByRole('button', { name: 'Delete tenant' });
    await expect(submit.isDisabled()).resolves.toBe(true);
    expect(await screen(page, 'delete')).toEqual([]);
    await page.getByLabel('Type mueller to confirm').fill('mueller');
    await page.getByLabel('Also delete its files').check();
    await submit.click();
    await page.getByRole('heading', { name: 'No tenants yet' }).waitFor();
    app.token = await adminToken();
    const { body: list } = await app.call<{ total: number }>('GET', '/api/tenants');
    expect(list.total).toBe(0);
  });

  test('creates and deploys by the keyboard alone', async () => {
    const { page } = first;
    const focused = (): Promise<string> =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
    const tabTo = async (name: string): Promise<void> => {
      for (let tries = 0; tries < 30 && !(await focused()).startsWith(name); tries += 1)
        await page.keyboard.press('Tab');
      expect(await focused()).toContain(name);
    };
    await page.goto('/tenants');
    await page.getByRole('heading', { name: 'No tenants yet' }).waitFor();
    while ((await focused()) !== 'New tenant') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await until(
      () => page.evaluate(() => document.activeElement?.getAttribute('name')),
      (name) => name === 'name',
    );
    await page.keyboard.type('By keys');
    // One key does not discard the typed text; the focus stays, then returns to where it came from.
    await page.keyboard.press('Escape');
    const asked = page.getByRole('dialog', { name: 'Close without saving?' });
    await asked.waitFor();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    await until(focused, (label) => label === '');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('By keys');
    await page.keyboard.press('Escape');
    await asked.getByRole('button', { name: 'Close without saving' }).press('Enter');
    await until(focused, (label) => label === 'New tenant');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('By keys');
    for (let fields = 0; fields < 4; fields += 1) await page.keyboard.press('Tab');
    await page.keyboard.type(repository);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ready to deploy' }).waitFor();
    // The next page has its focus in the content, not on the frame's first link.
    expect(await page.evaluate(() => document.activeElement?.getAttribute('id'))).toBe('content');
    await tabTo('Deploy');
    while ((await focused()) !== 'Deploy') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Latest release (v1.2.0)').waitFor({ state: 'attached' });
    while ((await focused()) !== 'Deploy') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Succeeded').waitFor();
  });

  test('a viewer sees no actions that need another role', async () => {
    const { password } = await app.userOf('viewer');
    const users = await app.call<{ users: { username: string; role: string }[] }>('GET', '/api/users');
    const username = users.body.users.find(({ role }) => role === 'viewer')?.username ?? '';
    const { page, complaints } = await visit(url);
    await page.goto('/tenants');
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'By keys' }).click();
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    const buttons = await page.getByRole('button').allInnerTexts();
    expect(buttons.filter((label) => /Deploy|Start|Stop|Delete|Check/.test(label))).toEqual([]);
    expect(await page.getByRole('button', { name: 'Actions for' }).count()).toBe(0);
    // For a pending task it names who can do it.
    const bare = await makeTenant(app, undefined, { name: 'Not started' });
    await page.goto(`/tenants/${bare.id}`);
    await page.getByText('An operator can take the next step.').waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(first.complaints).toEqual([]);
  });
});
