import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Alert } from '../../../../src/features/notifications/alert.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';
import { makeTenant, until } from '../../../harness/data/tenants.ts';

const alertOf = (changes: Partial<Alert> = {}): Alert => ({
  event: 'incident',
  severity: 'error',
  key: `incident/${newId()}/opened`,
  title: 'Acme is down',
  text: 'Its website does not answer.\nStart it again.',
  link: '/upgrades',
  tenants: [{ id: 't1', slug: 'acme', name: 'Acme', tags: [] }],
  at: new Date(),
  ...changes,
});

describeInBrowser('notifications in the dashboard', () => {
  let app: App;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    app = await startApp();
    ({ page, complaints } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto('/tenants');
    await signIn(page);
    // The browser is a new place for the account, which is an alert, too.
    await until(
      () => app.call<{ total: number }>('GET', '/api/inbox'),
      ({ body }) => body.total === 1,
    );
    await app.call('POST', '/api/inbox/read', { body: { all: true } });
  });
  afterAll(async () => {
    await app?.stop();
  });

  const notify = (alert: Alert) => app.manager.app.notifications.notify(alert);
  const bell = (unread: number) =>
    page.getByRole('button', { name: unread > 0 ? `Notifications, ${unread} unread` : 'Notifications', exact: true });

  test('ring the bell at once, lead to their place and are read then', async () => {
    await bell(0).waitFor();
    await notify(alertOf());
    await notify(alertOf({ title: 'Disk almost full', severity: 'critical', event: 'disk', tenants: [] }));
    await bell(2).click();
    const popup = page.getByRole('dialog', { name: 'Notifications' });
    await popup.getByRole('link', { name: 'Critical, Unread: Disk almost full' }).waitFor();
    expect(await screen(page, 'inbox-bell')).toEqual([]);
    await popup.getByRole('link', { name: 'Acme is down' }).click();
    await page.waitForURL('**/upgrades');
    await popup.waitFor({ state: 'detached' });
    await bell(1).waitFor();
  });

  test('are on their page, one by one or all marked as read', async () => {
    await notify(alertOf({ title: 'Backup failed', event: 'backup' }));
    await bell(2).click();
    await page.getByRole('link', { name: 'Show all' }).click();
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Mark as read: Backup failed' }).waitFor();
    expect(await main.getByRole('listitem').count()).toBe(4);
    expect(await screen(page, 'inbox')).toEqual([]);
    await main.getByRole('button', { name: 'Mark as read: Backup failed' }).click();
    await bell(1).waitFor();
    await main.getByRole('button', { name: 'Mark all as read' }).click();
    await bell(0).waitFor();
    await main.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('are chosen by rules, which read like sentences', async () => {
    await app.userOf('operator');
    await page.goto('/system/notifications/channels');
    await page.getByRole('button', { name: 'Add a channel' }).first().waitFor();
    expect(await screen(page, 'notification-channels')).toEqual([]);
    await page.goto('/system/notifications/rules');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Choose a channel or a user.').waitFor();
    const choose = async (label: string, ...options: string[]) => {
      await form.getByLabel(label, { exact: true }).click();
      for (const option of options) await page.getByRole('option', { name: option, exact: true }).click();
      await page.keyboard.press('Escape');
    };
    await choose('When', 'Incidents', 'Backups');
    await choose('notify the users', 'admin');
    await form.getByLabel('Quiet hours').check();
    expect(await screen(page, 'notification-rule')).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    const rules = page.getByRole('list', { name: 'Notification rules' });
    await rules.getByText('When Incidents and Backups of at least Error is reported, notify admin.').waitFor();
    await rules.getByText(/^Quiet from 22:00 to 07:00/).waitFor();
    expect(await screen(page, 'notification-rules')).toEqual([]);

    await rules.getByRole('button', { name: /^Edit/ }).click();
    await page.getByLabel('The rule is on').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await rules.getByText('Off', { exact: true }).waitFor();
    await rules.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rules yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('are chosen by rules that name what was deleted or disabled since', async () => {
    const [user, tenant] = [await app.userOf('operator'), await makeTenant(app, undefined, { name: 'Gone' })];
    const config = { url: 'https://hooks.example.org/never' };
    const channel = { kind: 'slack', name: 'Ops', enabled: false, config };
    const made = await app.call<{ id: string }>('POST', '/api/notifications/channels', { body: channel });
    expect(made.status).toBe(201);
    const [channel_ids, user_ids, tenant_ids] = [[made.body.id], [user.id], [tenant.id]];
    const body = { severity: 'error', channel_ids, user_ids, tenant_ids, tags: ['Pilots'] };
    expect((await app.call('POST', '/api/notifications/rules', { body })).status).toBe(201);
    await app.call('DELETE', `/api/tenants/${tenant.id}`);
    await app.call('PUT', `/api/users/${user.id}`, { body: { disabled: true } });
    await page.goto('/system/notifications/rules');
    const rules = page.getByRole('list', { name: 'Notification rules' });
    const username = `${user.username} (disabled)`;
    const targets = `Ops (disabled) and ${username}`;
    await rules.getByText(`for Pilots and (deleted), notify ${targets}.`).waitFor();
    await rules.getByRole('button', { name: /^Edit/ }).click();
    const form = page.getByRole('dialog', { name: 'Edit the rule' });
    const chosen = (label: string) => form.getByLabel(label, { exact: true });
    await chosen('notify the users').filter({ hasText: username }).waitFor();
    await chosen('for tenants with a tag').filter({ hasText: 'Pilots' }).waitFor();
    await chosen('for tenants').filter({ hasText: '(deleted)' }).click();
    await page.getByRole('option', { name: '(deleted)' }).click();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Save' }).click();
    await rules.getByText(`for Pilots, notify ${targets}.`).waitFor();
    await rules.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rules yet').waitFor();
    expect(complaints).toEqual([]);
  });

  test('are chosen by each user, too', async () => {
    await page.goto('/account/preferences');
    await page.getByLabel('Notify me of at least').click();
    await page.getByRole('option', { name: 'Warning' }).click();
    await page.getByText('Your account has no address that can receive e-mail.').waitFor();
    await page.getByText(/^No choice: alerts of all tenants/).waitFor();
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Saved.').waitFor();
    expect(await screen(page, 'notification-preferences')).toEqual([]);
    await notify(alertOf({ title: 'A warning', severity: 'warning' }));
    await bell(1).waitFor();
    expect(complaints).toEqual([]);
  });

  test('are limited by each user to tenants that are searched by name', async () => {
    const [acme] = await Promise.all(['Acme', 'Northwind'].map((name) => makeTenant(app, undefined, { name })));
    await page.goto('/account/preferences');
    const tenants = page.getByLabel('For these tenants', { exact: true });
    await tenants.click();
    await page.getByLabel('Search').fill('acm');
    await page.getByRole('option', { name: 'Northwind' }).waitFor({ state: 'detached' });
    expect(await screen(page, 'notification-tenants')).toEqual([]);
    await page.getByRole('option', { name: 'Acme' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Saved.').waitFor();
    await notify(alertOf({ title: 'Of another tenant' }));
    await notify(
      alertOf({
        title: 'Of the chosen tenant',
        tenants: [{ id: acme?.id ?? '', slug: 'acme', name: 'Acme', tags: [] }],
      }),
    );
    await bell(2).click();
    const popup = page.getByRole('dialog', { name: 'Notifications' });
    await popup.getByText('Of the chosen tenant').waitFor();
    expect(await popup.getByText('Of another tenant').count()).toBe(0);

    await page.goto('/account/preferences');
    await tenants.filter({ hasText: 'Acme' }).waitFor();
    await app.call('DELETE', `/api/tenants/${acme?.id}`);
    await page.goto('/account/preferences');
    const severity = page.getByLabel('Notify me of at least');
    await severity.filter({ hasText: 'Nothing' }).waitFor();
    await severity.click();
    await page.getByRole('option', { name: 'Error' }).click();
    await tenants.filter({ hasText: 'all tenants' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
