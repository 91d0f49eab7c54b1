import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page, Route } from 'playwright-core';
import { type App, adminPassword, startApp } from '../../../harness/app/app.ts';
import {
  describeInBrowser,
  reauthenticationOf,
  screen,
  signIn,
  signInAgain,
  type Visit,
  visit,
} from '../../../harness/browser/browser.ts';
import { makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';

/** Only the used parts of a page's document; a browser's global types would hide those of Node. */
declare const document: {
  body: { innerText: string };
  activeElement: { getAttribute(name: string): string | null; closest(selector: string): unknown } | null;
};

/** Never settles. */
const forever = new Promise<never>(() => undefined);

/** Path and query of the page, as a user would share them. */
const placeOf = (page: Page): string => new URL(page.url()).pathname + new URL(page.url()).search;

describeInBrowser('a session that ends during work', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let tenant: TenantAnswer;
  let operator: { id: string; username: string; password: string };
  const named = 'Ortsverband Schwarzenbek-Lauenburg';

  beforeAll(async () => {
    app = await startApp();
    tenant = await makeTenant(app, undefined, { name: named });
    const { id, password } = await app.userOf('operator');
    const { body } = await app.call<{ username: string }>('GET', `/api/users/${id}`);
    operator = { id, username: body.username, password };
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
  });
  afterAll(async () => {
    await app?.stop();
  });

  async function tokenOf(username: string, password: string): Promise<string> {
    const { body } = await app.call<{ access_token: string }>('POST', '/api/auth/login', {
      token: null,
      body: { username, password },
    });
    return body.access_token;
  }

  /** Ends all sessions of the operator, as signing out on another machine does. */
  async function endSessions(): Promise<void> {
    await app.call('POST', '/api/auth/logout', { token: await tokenOf(operator.username, operator.password) });
  }

  const nameField = (): Locator => page.getByLabel('Application name');
  const focusedField = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.getAttribute('name'));

  describe('on a page with unsaved changes', () => {
    const place = (): string => `/tenants/${tenant.id}/configuration`;

    test('hides the page and asks the same user to sign in again', async () => {
      await page.goto('/tenants');
      await signIn(page, operator.username, operator.password);
      await page.getByRole('checkbox', { name: named }).check();
      await page.getByRole('link', { name: named }).click();
      await page.getByRole('link', { name: 'Configuration' }).click();
      await nameField().fill('Not saved yet');
      await page.getByText('Live', { exact: true }).waitFor();
      await endSessions();
      await reauthenticationOf(page).getByText('Your session has ended').waitFor();
      expect(placeOf(page)).toBe(place());
      expect(await reauthenticationOf(page).getByText(operator.username).isVisible()).toBe(true);
      expect(await screen(page, 'session-wall')).toEqual([]);
    });

    test('nothing of the page is readable', async () => {
      expect(await page.title()).toBe('Sign in again · Tenantry');
      expect(await page.getByRole('heading', { name: named }).count()).toBe(0);
      expect(await page.getByText(named).first().isVisible()).toBe(false);
      expect(await page.locator('[name="app_name"]').isVisible()).toBe(false);
      const read = await page.evaluate(() => document.body.innerText);
      expect(read).toContain('Your session has ended');
      expect(read).not.toContain(named);
      expect(read).not.toContain('Configuration');
    });

    test('a wrong password opens nothing', async () => {
      await reauthenticationOf(page).getByLabel('Password').fill('not the password');
      await page.keyboard.press('Enter');
      await reauthenticationOf(page).getByText('Wrong username or password').waitFor();
      expect(await nameField().isVisible()).toBe(false);
      expect(await screen(page, 'session-wall-wrong')).toEqual([]);
    });

    test('restores the page afterwards, and the changes can be saved', async () => {
      await signInAgain(page, operator.password);
      expect(placeOf(page)).toBe(place());
      expect(await page.title()).toContain(named);
      expect(await nameField().inputValue()).toBe('Not saved yet');
      expect(await focusedField()).toBe('app_name');
      await page.getByText('1 unsaved change').waitFor();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Configuration saved.').waitFor();
    });

    test('a password reset during the session must be changed before the page is shown, and nothing is lost', async () => {
      await nameField().fill('Not saved before the new password');
      const given = 'a ladder in november 8';
      const body = { password: given, must_change_password: true };
      expect((await app.call('PUT', `/api/users/${operator.id}`, { body })).status).toBe(200);
      await reauthenticationOf(page).getByLabel('Password').fill(given);
      await page.keyboard.press('Enter');
      const change = page.getByRole('dialog', { name: 'Choose a password' });
      await change.getByText('This password was given to you').waitFor();
      expect(await page.getByText(named).first().isVisible()).toBe(false);
      expect(await screen(page, 'session-wall-password')).toEqual([]);
      operator.password = 'seven quiet harbours 3';
      await change.getByLabel('Current password').fill(given);
      await change.getByLabel('New password', { exact: true }).fill(operator.password);
      await change.getByLabel('Confirm new password').fill(operator.password);
      await page.keyboard.press('Enter');
      await change.waitFor({ state: 'detached' });
      expect(await nameField().inputValue()).toBe('Not saved before the new password');
      await page.getByText('1 unsaved change').waitFor();
    });

    test('another user starts from the beginning', async () => {
      await endSessions();
      await reauthenticationOf(page).getByRole('button', { name: 'Sign in as someone else' }).click();
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
      expect(await page.getByText('Your session has ended').count()).toBe(0);
      await signIn(page, 'admin', adminPassword);
      expect(placeOf(page)).toBe(place());
      await page.getByRole('heading', { name: named }).waitFor();
      expect(await nameField().inputValue()).toBe('Not saved yet');
      expect(await page.getByText('unsaved change').count()).toBe(0);
      await page.getByRole('link', { name: 'Tenants', exact: true }).first().click();
      expect(await page.getByRole('checkbox', { name: named }).isChecked()).toBe(false);
      // Signing out does not keep the page.
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
      expect(await reauthenticationOf(page).count()).toBe(0);
      app.token = await tokenOf('admin', adminPassword);
    });
  });

  describe('with a panel open over the list', () => {
    let seen: TenantAnswer;
    let gone: TenantAnswer;
    const panel = (): Locator => page.getByRole('dialog', { name: 'New tenant' });

    test('covers the panel too, and no key or click there closes it', async () => {
      gone = await makeTenant(app, undefined, { name: 'Deleted during the session' });
      seen = await makeTenant(app, undefined, { name: 'Deleted afterwards' });
      await page.goto('/tenants');
      await signIn(page, operator.username, operator.password);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Deleted during the session' }).waitFor();
      await page.getByRole('button', { name: 'New tenant' }).click();
      await panel().getByLabel('Name', { exact: true }).fill('Bezirk Nord');
      await panel().getByLabel('Notes').fill('Ask Annegret for the domain.');
      await endSessions();
      await reauthenticationOf(page).waitFor();
      expect(await panel().count()).toBe(0);
      expect(await page.getByText('Nothing runs until you deploy it.').isVisible()).toBe(false);
      expect(await screen(page, 'session-wall-panel')).toEqual([]);
      for (const key of ['Escape', 'Escape', 'Control+k']) await page.keyboard.press(key);
      await page.mouse.click(10, 10);
      await reauthenticationOf(page).getByLabel('Password').focus();
      for (let times = 0; times < 6; times += 1) {
        await page.keyboard.press('Tab');
        const behind = await page.evaluate(() => Boolean(document.activeElement?.closest('#root, [role="dialog"]')));
        expect(behind).toBe(false);
      }
      expect(await reauthenticationOf(page).isVisible()).toBe(true);
    });

    test('restores the panel, and the current list with live updates', async () => {
      await app.call('DELETE', `/api/tenants/${gone.id}`);
      await signInAgain(page, operator.password);
      expect(await panel().getByLabel('Name', { exact: true }).inputValue()).toBe('Bezirk Nord');
      expect(await panel().getByLabel('Short name').inputValue()).toBe('bezirk-nord');
      expect(await focusedField()).toBe('notes');
      await page.getByText('Deleted during the session').waitFor({ state: 'detached' });
      await page.getByText('Live', { exact: true }).waitFor();
      await app.call('DELETE', `/api/tenants/${seen.id}`);
      await page.getByText('Deleted afterwards').waitFor({ state: 'detached' });
      await panel().getByRole('button', { name: 'Create tenant' }).click();
      await page.getByRole('heading', { name: 'Bezirk Nord' }).waitFor();
      await page.getByText('Ask Annegret for the domain.').waitFor();
    });
  });

  test('a rejected action is shown and can be repeated; a late rejection ends no newer session', async () => {
    // Without its stream a tab notices the end only with its next request.
    const quiet = await page.context().newPage();
    await quiet.routeWebSocket('**/socket.io/**', () => undefined);
    await quiet.goto('/tenants');
    await quiet.getByRole('button', { name: 'New tenant' }).click();
    const panel = quiet.getByRole('dialog', { name: 'New tenant' });
    const create = panel.getByRole('button', { name: 'Create tenant' });
    const refusal = panel.getByText('Your session ended before this was done.');
    await panel.getByLabel('Name', { exact: true }).fill('Bezirk Ost');

    const answered = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    // The page refreshes its counts and checks host names; such a request would notice the end before the click.
    const idle = (route: Route): Promise<void> =>
      route.request().url().endsWith('/api/tenants') ? route.fallback() : forever;
    await quiet.route('**/api/**', idle);
    await quiet.route('**/api/tenants', async (route) => {
      const response = await route.fetch();
      answered.resolve();
      await late.promise;
      await route.fulfill({ response });
    });
    await endSessions();
    await create.click();
    await answered.promise;
    await signInAgain(page, operator.password);
    late.resolve();
    await refusal.waitFor();
    expect(await reauthenticationOf(quiet).count()).toBe(0);
    await quiet.unroute('**/api/tenants');

    await endSessions();
    await create.click();
    await reauthenticationOf(quiet).waitFor();
    await quiet.unroute('**/api/**', idle);
    await signInAgain(quiet, operator.password);
    await refusal.waitFor();
    await create.click();
    await quiet.getByRole('heading', { name: 'Bezirk Ost' }).waitFor();
    await quiet.close();
  });

  test('going back while signed out shows nothing, and asks about unsaved changes afterwards', async () => {
    await page.goto('/journal');
    await page.goto(`/tenants/${tenant.id}`);
    await page.getByRole('link', { name: 'Configuration' }).click();
    await nameField().fill('Still not saved');
    await page.getByText('Live', { exact: true }).waitFor();
    await endSessions();
    await reauthenticationOf(page).waitFor();
    await page.goBack();
    await page.getByText('Leave without saving?').waitFor({ state: 'attached' });
    expect(await page.getByText('Leave without saving?').isVisible()).toBe(false);
    expect(await screen(page, 'session-wall-back')).toEqual([]);
    await signInAgain(page, operator.password);
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await nameField().inputValue()).toBe('Still not saved');
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  test('signing in or out in one tab applies to the others', async () => {
    const other = await page.context().newPage();
    await other.goto('/journal');
    await other.getByRole('heading', { name: 'Audit log' }).waitFor();
    await endSessions();
    await Promise.all([reauthenticationOf(page).waitFor(), reauthenticationOf(other).waitFor()]);
    await signInAgain(other, operator.password);
    await reauthenticationOf(page).waitFor({ state: 'detached' });
    await nameField().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    await other.getByRole('button', { name: 'Account' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [other, page]) await tab.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(await reauthenticationOf(page).count()).toBe(0);
    await other.close();
  });

  test('causes no browser errors', () => {
    expect(first.complaints).toEqual([]);
  });
});

describeInBrowser('a session that expires', () => {
  test('is renewed on the same page, also when the page is opened again', async () => {
    const app = await startApp({ environment: { ACCESS_TOKEN_TTL: '10s' } });
    const { page, complaints } = await visit(app.manager.dashboardUrl ?? '');
    const place = '/tenants?status=running&q=green';
    await page.goto(place);
    await signIn(page);
    await reauthenticationOf(page).getByText('Your session has ended').waitFor();
    expect(placeOf(page)).toBe(place);
    // A newly opened page has nothing to keep: it goes to the sign-in page.
    const afresh = await page.context().newPage();
    await afresh.goto(place);
    await afresh.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(placeOf(afresh)).toBe('/sign-in');
    await afresh.getByText('Your session has ended').waitFor();
    expect(await reauthenticationOf(page).isVisible()).toBe(true);
    await signIn(afresh);
    expect(placeOf(afresh)).toBe(place);
    // The dialog of the other tab closes automatically.
    await reauthenticationOf(page).waitFor({ state: 'detached' });
    expect(placeOf(page)).toBe(place);
    expect(complaints).toEqual([]);
    await app.stop();
  });
});
