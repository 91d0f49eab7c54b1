import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type App, adminPassword, startApp } from '../../../harness/app/app.ts';
import {
  choose,
  describeInBrowser,
  dialogClosed,
  screen,
  signIn,
  type Visit,
  visit,
} from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../../harness/data/tenants.ts';

/** Only the used parts of a page's document; a browser's global types would hide those of Node. */
declare const document: {
  documentElement: { scrollWidth: number; clientWidth: number };
  activeElement: { getAttribute(name: string): string | null } | null;
};

describeInBrowser('administration, by a browser', () => {
  let app: App;
  let visits: Visit[];
  let page: Page;
  let url = '';
  let well: TenantAnswer;
  const named = 'Ortsverband <i>Schwarzenbek-Lauenburg</i> für die Kommunalwahl im Kreis Herzogtum Lauenburg';

  beforeAll(async () => {
    app = await startApp();
    url = app.manager.dashboardUrl ?? '';
    const { path } = await makeFixtureRepository(join(app.directory, 'repository'));
    well = await makeTenant(app, path, { name: named });
    const ill = await makeTenant(app, path, { name: 'Bezirk Nord' });
    await setEnvironment(app, ill.id, { MODE: 'crash', SMTP_PASSWORD: 'never to be seen' });
    await Promise.all([deploy(app, well.id), deploy(app, ill.id)]);
    visits = [await visit(url)];
    page = visits[0]?.page as Page;
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    await app?.stop();
  });

  /** Another user, in a separate browser. */
  async function other(username: string, password: string, path = '/tenants'): Promise<Page> {
    const theirs = await visit(url);
    visits.push(theirs);
    await theirs.page.goto(path);
    await theirs.page.getByLabel('Username').fill(username);
    await theirs.page.getByLabel('Password').fill(password);
    const submit = theirs.page.getByRole('button', { name: 'Sign in' });
    await submit.click();
    // Opening another page before the response would interrupt the sign-in.
    await submit.waitFor({ state: 'detached' });
    return theirs.page;
  }

  const dialog = (): Locator => page.getByRole('dialog');
  const menuOf = async (name: string, entry: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).press('Enter');
    await page.getByRole('menuitem', { name: entry }).click();
  };

  describe('users', () => {
    let password = '';

    test('are created with a password that is shown once', async () => {
      await page.getByRole('link', { name: 'System' }).click();
      await page.getByRole('link', { name: 'Users' }).click();
      await page.getByRole('row', { name: 'admin' }).getByText('(you)').waitFor();
      expect(await screen(page, 'users')).toEqual([]);
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByLabel('Username').fill('admin');
      await page.getByLabel('E-mail address').fill('nowhere');
      await page.getByRole('button', { name: 'Create user' }).click();
      await page.getByText('Must be an e-mail address').waitFor();
      await page.getByLabel('E-mail address').fill('annegret@example.org');
      await page.getByRole('button', { name: 'Create user' }).click();
      await page.getByText('is already in use').waitFor();
      expect(await screen(page, 'users-new')).toEqual([]);
      await page.getByLabel('Username').fill('annegret.mustermann-schwarzenbek');
      await page.getByRole('button', { name: 'Create user' }).click();
      await dialog().getByText('Credentials for annegret').waitFor();
      password = await dialog().getByLabel('Password').inputValue();
      expect(password).toMatch(/^(\w{4}-){3}\w{4}$/);
      await dialog().getByRole('button', { name: 'Copy' }).last().click();
      await dialog().getByRole('button', { name: 'Copied' }).waitFor();
      expect(await screen(page, 'users-hand-over')).toEqual([]);
      await dialog().getByRole('button', { name: 'Done' }).click();
      await page.getByRole('row', { name: 'annegret' }).getByText('Must choose a password').waitFor();
    });

    test('choose their own password first', async () => {
      const theirs = await other('annegret.mustermann-schwarzenbek', password);
      await theirs.getByRole('heading', { name: 'Choose a password' }).waitFor();
      await theirs.getByLabel('Current password').fill(password);
      password = 'blue ladder of november';
      await theirs.getByLabel('New password', { exact: true }).fill(password);
      await theirs.getByLabel('Confirm new password').fill(password);
      await theirs.getByRole('button', { name: 'Change password' }).click();
      await theirs.getByRole('heading', { name: 'Tenants' }).waitFor();
    });

    test('read one message at a time while they choose a password', async () => {
      await page.goto('/password');
      await page.getByLabel('Current password').fill(adminPassword);
      await page.getByLabel('New password', { exact: true }).fill('velvet-7mop');
      await page.getByLabel('Confirm new password').fill('velvet-7mop');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Must have at least 12 characters').waitFor();
      await page.getByLabel('New password', { exact: true }).fill('blue ladder of november');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The new passwords do not match').waitFor();
      expect(await page.getByText('Must have at least 12 characters').count()).toBe(0);
      await page.goto('/system/users');
    });

    test('are changed, disabled, enabled, and given a new password', async () => {
      const name = 'annegret.mustermann-schwarzenbek';
      const row = page.getByRole('row', { name: 'annegret' });
      await menuOf(name, 'Edit…');
      await choose(page.getByLabel('Role', { exact: true }), 'viewer');
      await page.getByText('Sees tenants and their status').first().waitFor();
      expect(await screen(page, 'users-change')).toEqual([]);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await row.getByText('Viewer').waitFor();
      await menuOf(name, 'Disable…');
      expect(await screen(page, 'users-disable')).toEqual([]);
      await page.getByRole('button', { name: 'Disable user' }).click();
      await row.getByText('Disabled').waitFor();
      await menuOf(name, 'Enable');
      await row.getByText('Active').waitFor();
      await menuOf(name, 'Reset password…');
      await page.getByRole('textbox', { name: 'New password' }).fill('password1234');
      await page.getByRole('button', { name: 'Reset password' }).click();
      await page.getByText('Too easy to guess').waitFor();
      expect(await screen(page, 'users-password')).toEqual([]);
      await page.getByRole('textbox', { name: 'New password' }).fill('seven quiet harbours');
      await page.getByRole('checkbox').uncheck();
      await page.getByRole('button', { name: 'Reset password' }).click();
      await dialog().getByText('Credentials for').waitFor();
      await dialog().getByRole('button', { name: 'Done' }).click();
      const theirs = await other(name, 'seven quiet harbours');
      await theirs.getByRole('heading', { name: 'Tenants' }).waitFor();
    });

    test('are deleted after typing the name; users cannot lock themselves out', async () => {
      const name = 'annegret.mustermann-schwarzenbek';
      await menuOf(name, 'Delete…');
      const submit = page.getByRole('button', { name: 'Delete user' });
      await expect(submit.isDisabled()).resolves.toBe(true);
      expect(await screen(page, 'users-delete')).toEqual([]);
      await page.getByLabel(`Type ${name} to confirm`).fill(name);
      await submit.click();
      // The open dialog hides the row from roles.
      await dialogClosed(page);
      await page.getByRole('row', { name }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Actions for admin' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Change password' }).waitFor();
      expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Edit…', 'Change password']);
      await page.keyboard.press('Escape');
    });
  });

  describe('settings', () => {
    const row = (name: string): Locator => page.getByLabel(name, { exact: true });
    const firstWrongHasFocus = (): Promise<string | null | undefined> =>
      until(
        () => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')),
        (wrong) => wrong === 'true',
      );

    test('are shown in groups, with limits; an invalid value is rejected next to its field', async () => {
      await page.goto('/system/settings');
      await page.getByRole('heading', { name: 'Health checks' }).waitFor();
      await page.getByText('10 to 86,400 · Default: 60 seconds').waitFor();
      expect(await screen(page, 'settings')).toEqual([]);
      await row('Check interval').fill('5');
      await row('Default schedule').fill('every night');
      await page.getByRole('button', { name: 'Review and save' }).click();
      // Errors from the manager appear together with those found by the page.
      await page.getByRole('alert').getByText('Must be between 10 and 86,400').waitFor();
      await page.getByRole('alert').getByText('Must be a cron expression').waitFor();
      await page.getByRole('status').getByText('2 values couldn’t be saved').waitFor();
      await page.getByText('Default: 1 core', { exact: false }).waitFor();
      expect(await page.getByText('1 cores').count()).toBe(0);
      await firstWrongHasFocus();
      expect(await screen(page, 'settings-wrong')).toEqual([]);
    });

    test('are shown before they are saved, but never secrets', async () => {
      await row('Check interval').fill('45');
      await page.getByRole('button', { name: 'Set…: Key', exact: true }).click();
      await page.getByLabel('Key: new value').fill('sk-a-secret-of-mine');
      await row('Default schedule').fill('');
      await page.getByText('2 unsaved changes').first().waitFor();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog().getByRole('row', { name: 'Check interval 60 seconds 45 seconds' }).waitFor();
      await dialog().getByRole('row', { name: 'Key Not set a new value' }).waitFor();
      expect(await screen(page, 'settings-review')).toEqual([]);
      await dialog().getByRole('button', { name: 'Save changes' }).click();
      await dialogClosed(page);
      await page.getByText('2 settings saved.').first().waitFor();
      const saved = await app.call('GET', '/api/settings/health_check_interval');
      expect(saved.body).toMatchObject({ value: '45' });
      const secret = await app.call('GET', '/api/settings/ai_provider_api_key');
      expect(secret.body).toMatchObject({ value: '***hidden***' });
      expect(await page.content()).not.toContain('sk-a-secret-of-mine');
    });

    test('that could not be saved are listed separately, and kept', async () => {
      await row('Default schedule').fill('');
      await row('Check timeout').fill('8');
      await row('Concurrent deployments').fill('3');
      await row('Keep audit log entries for').fill('40');
      await row('Releases kept for rollback').fill('4');
      await page.route('**/api/settings/deployment_concurrency', (route) => route.abort());
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog().getByRole('button', { name: 'Save changes' }).click();
      await dialog().getByRole('alert').getByText('The manager can’t be reached').waitFor();
      await dialog().getByText('Saved: Check timeout. These changes are not saved:').waitFor();
      expect(await dialog().getByRole('row').count()).toBe(4);
      expect(await screen(page, 'settings-broken-off')).toEqual([]);
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('3 unsaved changes').first().waitFor();
      await expect(row('Check timeout').inputValue()).resolves.toBe('8');
      await expect(row('Concurrent deployments').inputValue()).resolves.toBe('3');
      await expect(row('Keep audit log entries for').inputValue()).resolves.toBe('40');
      const { body } = await app.call<{ settings: { key: string; value: string }[] }>('GET', '/api/settings');
      const kept = Object.fromEntries(body.settings.map(({ key, value }) => [key, value]));
      expect(kept).toMatchObject({ health_check_timeout: '8' });
      expect(kept.deployment_concurrency).not.toBe('3');
      await page.unroute('**/api/settings/deployment_concurrency');
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog().getByRole('button', { name: 'Save changes' }).click();
      await dialogClosed(page);
      await page.getByText('3 settings saved.').first().waitFor();
      await row('Default schedule').fill('every night');
    });

    test('are not lost accidentally', async () => {
      await page.getByRole('link', { name: 'Users' }).click();
      await dialog().getByText('Leave without saving?').waitFor();
      expect(await screen(page, 'settings-leave')).toEqual([]);
      await dialog().getByRole('button', { name: 'Keep editing' }).click();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByText('unsaved change').first().waitFor({ state: 'detached' });
    });

    test('are found by a word, reset to the default, and secrets are cleared', async () => {
      await page.getByRole('button', { name: 'Clear: Key', exact: true }).click();
      await page.getByText('Will be cleared').waitFor();
      await page.getByLabel('Find a setting').fill('all tenants');
      await page.getByRole('heading', { name: 'AI provider' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Use default: Check interval' }).click();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog().getByRole('row', { name: 'Key Set Not set' }).waitFor();
      await dialog().getByRole('button', { name: 'Save changes' }).click();
      // A message of an earlier change may still be shown.
      await dialogClosed(page);
      await page.getByText('2 settings saved.').first().waitFor();
      const interval = await app.call('GET', '/api/settings/health_check_interval');
      expect(interval.body).toMatchObject({ value: '60' });
      const secret = await app.call('GET', '/api/settings/ai_provider_api_key');
      expect(secret.body).toMatchObject({ value: '' });
      await page.getByLabel('Find a setting').fill('no such thing');
      await page.getByRole('heading', { name: 'No matching settings' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Show all settings' }).click();
      await page.getByRole('heading', { name: 'Health checks' }).waitFor();
    });
  });

  describe('API tokens', () => {
    test('are created, shown once, work, and are revoked', async () => {
      await page.getByRole('button', { name: 'Account' }).press('Enter');
      await page.getByRole('menuitem', { name: 'API tokens' }).click();
      await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
      expect(await screen(page, 'tokens-none')).toEqual([]);
      await page.getByRole('button', { name: 'New token' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Nightly import of the membership list');
      await choose(page.getByLabel('Expires after'), 'other');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText('Choose a day', { exact: true }).waitFor();
      await page.getByLabel('Last day').fill('2020-01-31');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText('Choose a day in the future').waitFor();
      expect(await screen(page, 'tokens-new')).toEqual([]);
      await page.getByLabel('Last day').fill('2099-01-31');
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText('Choose a day within the next 365 days').waitFor();
      await choose(page.getByLabel('Role'), 'viewer');
      await choose(page.getByLabel('Expires after'), '365 days (maximum)');
      await page.getByRole('button', { name: 'Create token' }).click();
      const token = await dialog().getByLabel('Token', { exact: true }).inputValue();
      expect(await screen(page, 'tokens-made')).toEqual([]);
      expect((await app.call('GET', '/api/auth/me', { token })).body).toMatchObject({ username: 'admin' });
      expect((await app.call('GET', '/api/users', { token })).status).toBe(403);
      await dialog().getByRole('button', { name: 'I’ve saved it' }).click();
      await page.getByRole('row', { name: 'Nightly import' }).getByText('Viewer').waitFor();
      expect(await page.content()).not.toContain(token);
      expect(await screen(page, 'tokens')).toEqual([]);
      await page.getByRole('button', { name: 'Revoke Nightly' }).click();
      expect(await screen(page, 'tokens-revoke')).toEqual([]);
      await page.getByRole('button', { name: 'Revoke token' }).click();
      await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
      expect((await app.call('GET', '/api/auth/me', { token })).status).toBe(401);
    });
  });

  test('administrators see and revoke the API tokens of other users', async () => {
    const { token } = await app.userOf('operator');
    const body = { name: 'Membership sync' };
    const made = await app.call<{ token: string }>('POST', '/api/auth/tokens', { token, body });
    const { body: self } = await app.call<{ username: string }>('GET', '/api/auth/me', { token });
    await page.goto('/system/users');
    await menuOf(self.username, 'API tokens…');
    await dialog().getByRole('row', { name: 'Membership sync' }).getByText('Operator').waitFor();
    expect(await screen(page, 'users-tokens')).toEqual([]);
    await page.getByRole('button', { name: 'Revoke Membership sync' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText(`${self.username} has no API tokens.`).waitFor();
    expect((await app.call('GET', '/api/auth/me', { token: made.body.token })).status).toBe(401);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  describe('the audit log', () => {
    const entries = (): Locator => page.getByRole('list', { name: 'Entries' }).getByRole('listitem');
    const settled = (): Promise<void> => page.locator('ol[aria-busy="false"]').waitFor();
    const open = (message: string): Promise<void> => page.getByRole('button', { name: message }).first().click();

    test('shows changes before and after, and hides secrets', async () => {
      await page.getByRole('link', { name: 'Audit log' }).click();
      await entries()
        .first()
        .getByText(/^API token of .* revoked by admin$/)
        .waitFor();
      expect(await screen(page, 'journal')).toEqual([]);
      await open('Setting health_check_interval changed by admin');
      await page.getByRole('row', { name: 'Health check interval 45 60' }).waitFor();
      expect(await screen(page, 'journal-entry')).toEqual([]);
      // The address names the open entry.
      await page.reload();
      await page.getByRole('row', { name: 'Health check interval 45 60' }).waitFor();
      await page.getByLabel('Search messages').fill('ai_provider_api_key');
      await page.getByText('2 entries', { exact: true }).waitFor();
      await open('Setting ai_provider_api_key changed by admin');
      await page.getByRole('row', { name: 'Ai provider api key hidden empty' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByLabel('Search messages').fill('Configuration of');
      await open('Configuration of');
      await page.getByRole('row', { name: 'SMTP_PASSWORD' }).waitFor();
      expect(await page.content()).not.toContain('never to be seen');
    });

    test('is filtered by kind, severity, tenant, user and time, in the address', async () => {
      await page.goto('/journal');
      await choose(page.getByLabel('Severity'), 'error');
      await entries().first().getByText('Error', { exact: true }).waitFor();
      await choose(page.getByLabel('Kind', { exact: true }), 'deployment');
      await choose(page.getByLabel('Time', { exact: true }), 'hour');
      await page.getByText('1 entry', { exact: true }).waitFor();
      await entries().first().getByRole('link', { name: 'Bezirk Nord' }).waitFor();
      expect(await screen(page, 'journal-filtered')).toEqual([]);
      const before = page.url();
      await page.reload();
      await page.getByText('1 entry', { exact: true }).waitFor();
      expect(page.url()).toBe(before);
      await entries().first().getByRole('button').click();
      await page.getByRole('link', { name: 'View steps and log' }).click();
      await page.getByRole('heading', { name: 'Steps' }).waitFor();
      await page.goBack();
      await page.getByLabel('User', { exact: true }).fill('nobody');
      await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await choose(page.getByLabel('Time', { exact: true }), 'between');
      await page.getByLabel('To', { exact: true }).fill('2020-01-31T12:00');
      await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
      expect(await screen(page, 'journal-none')).toEqual([]);
    });

    test('of a tenant is a link from its page', async () => {
      await page.goto(`/tenants/${well.id}`);
      await page.getByRole('main').getByRole('link', { name: 'Audit log' }).click();
      await entries().first().waitFor();
      await expect(page.getByLabel('Tenant', { exact: true }).getAttribute('data-value')).resolves.toBe(well.id);
      // Markup in a name is text.
      await entries().first().getByRole('link', { name: named }).waitFor();
      await until(
        () => entries().getByRole('link').allInnerTexts(),
        (names) => names.length > 0 && names.every((name) => name === named),
      );
    });

    test('shows more on request, and announces new entries', async () => {
      for (let seconds = 20; seconds < 130; seconds += 1)
        await app.call('PUT', '/api/settings/health_check_interval', { body: { value: seconds } });
      await page.goto('/journal');
      await entries().nth(49).waitFor();
      const first = await entries().allInnerTexts();
      await app.call('PUT', '/api/settings/health_check_timeout', { body: { value: 7 } });
      const more = page.getByRole('button', { name: /^Show more \(50 of / });
      await more.press('Enter');
      await entries().nth(99).waitFor();
      await page.getByRole('button', { name: /^Show more \(100 of / }).waitFor();
      await settled();
      expect((await entries().allInnerTexts()).slice(0, 50)).toEqual(first);
      // The new entry shifted none to the second page.
      const ids = await entries()
        .getByRole('button')
        .evaluateAll((all) =>
          (all as unknown as { getAttribute(name: string): string | null }[]).map((one) =>
            one.getAttribute('aria-controls'),
          ),
        );
      expect(new Set(ids).size).toBe(100);
      // The focus stays at the button.
      await expect(page.locator(':focus').innerText()).resolves.toMatch(/^Show more/);
      expect(await screen(page, 'journal-page')).toEqual([]);
      await page.getByRole('button', { name: 'Show 1 new entry' }).click();
      await entries().first().getByText('Setting health_check_timeout').waitFor();
      await page.getByRole('button', { name: 'Show 1 new' }).waitFor({ state: 'detached' });
    });
  });

  test('no page scrolls sideways on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of ['/journal', '/system/settings', '/system/users', '/account/tokens']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      const { wide, room } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        room: document.documentElement.clientWidth,
      }));
      expect([path, wide]).toEqual([path, room]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('an operator reads settings, a viewer neither settings nor the audit log', async () => {
    const operator = await app.userOf('operator');
    const { body: one } = await app.call<{ username: string }>('GET', `/api/users/${operator.id}`);
    const theirs = await other(one.username, operator.password, '/system/settings');
    await theirs.getByText('An administrator can change them.').waitFor();
    await theirs.getByText('Check interval').waitFor();
    expect(await screen(theirs, 'settings-operator')).toEqual([]);
    expect(await theirs.getByRole('main').getByRole('textbox').count()).toBe(0);
    expect(await theirs.getByRole('link', { name: 'Users' }).count()).toBe(0);
    await theirs.goto('/system/users');
    await theirs.getByText('Ask an administrator').waitFor();

    const viewer = await app.userOf('viewer');
    const { body: two } = await app.call<{ username: string }>('GET', `/api/users/${viewer.id}`);
    const viewers = await other(two.username, viewer.password, '/journal');
    await viewers.getByText('This page needs the role Operator').waitFor();
    expect(await viewers.getByRole('link', { name: /System|Audit log/ }).count()).toBe(0);
    await viewers.goto(`/tenants/${well.id}/upgrade`);
    await viewers.getByText('This page needs the role Operator').waitFor();
    expect(await viewers.getByRole('link', { name: /Upgrade$|Audit log/ }).count()).toBe(0);
  });

  test('a viewer of a stopped tenant sends no request that needs another role', async () => {
    expect((await app.call('POST', `/api/tenants/${well.id}/services/stop`)).status).toBe(200);
    const viewer = await app.userOf('viewer');
    const { body } = await app.call<{ username: string }>('GET', `/api/users/${viewer.id}`);
    const viewers = await other(body.username, viewer.password);
    const refused: string[] = [];
    viewers.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await viewers.goto(`/tenants/${well.id}`);
    await viewers.getByText('The tenant is stopped, so its health is not checked.').waitFor();
    await viewers.waitForLoadState('networkidle');
    expect(refused).toEqual([]);
  });

  test('the browser reported no errors', () => {
    expect(visits.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
});
