import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';
import { type Receiver, startReceiver } from '../../../harness/servers/receiver.ts';

describeInBrowser('the channels of notifications', () => {
  let app: App;
  let receiver: Receiver;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    receiver = await startReceiver();
    app = await startApp({ environment: { ALLOW_PRIVATE_NOTIFICATIONS: 'true' } });
    ({ page, complaints } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto('/system/notifications/channels');
    await signIn(page);
  });
  afterAll(async () => {
    await app?.stop();
    await receiver?.stop();
  });

  test('one is added, and its test arrives', async () => {
    await page.getByRole('button', { name: 'Add a channel' }).click();
    await choose(page.getByLabel('Kind'), 'Slack');
    await page.getByLabel('Name').fill('Night watch');
    await page.getByLabel('Webhook address').fill(`${receiver.url}/hook`);
    await page.getByRole('button', { name: 'Save channel' }).click();
    await page.getByText('Channel saved.').waitFor();
    await page.getByRole('button', { name: 'Test Night watch' }).click();
    await page.getByText('The test message was delivered through Night watch.').waitFor();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(await screen(page, 'channels')).toEqual([]);
  });

  test('the delivery log shows what was sent, and what failed can be sent again', async () => {
    const channels = await app.call<{ channels: { id: string }[] }>('GET', '/api/notifications/channels');
    const rule = { severity: 'error', channel_ids: channels.body.channels.map(({ id }) => id) };
    expect((await app.call('POST', '/api/notifications/rules', { body: rule })).status).toBe(201);
    receiver.answer({ status: 404, body: 'no_service' });
    await app.manager.app.notifications.notify({
      event: 'deployment',
      severity: 'error',
      key: 'operation/1/failed',
      title: 'Acme: Deployment failed',
      text: 'Start: it does not answer',
      link: '/upgrades',
      tenants: [],
      at: new Date(),
    });
    await page.reload();
    const row = page.getByRole('row', { name: 'Acme: Deployment failed' });
    await row.getByText('Failed', { exact: true }).waitFor();
    await row.getByRole('button').click();
    await row.getByText('Delivered', { exact: true }).waitFor();
    expect(receiver.received).toHaveLength(3);
  });

  test('causes no browser errors', () => {
    expect(complaints).toEqual([]);
  });
});
