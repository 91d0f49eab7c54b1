import { appendFile, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Download } from 'playwright-core';
import { helpLinks } from '../../../dashboard/src/shell/help/help-links.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { type ProxiedApp, proxyOf, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { choose, describeInBrowser, screen, signIn, type Visit, visit } from '../../harness/browser/browser.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';

const textOf = async (download: Download): Promise<string> => readFile(await download.path(), 'utf8');

/** The pages about the manager itself, with a real nginx and real tenants. */
function suite(): void {
  let proxied: ProxiedApp;
  let outside: Server;
  let admin: Visit;
  let url = '';
  let long: TenantAnswer;
  let other: TenantAnswer;
  const longName = 'Bürgerinitiative für den Erhalt der Straßenbahnlinie 7 und <b>gegen</b> ihre Verlegung nach Norden';

  beforeAll(async () => {
    outside = createServer((_request, response) => response.end());
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { outsideUrl });
    const { app, repository } = proxied;
    url = app.manager.dashboardUrl ?? '';
    long = await makeTenant(app, repository.path, { name: longName });
    other = await makeTenant(app, repository.path, { name: 'Green City' });
    for (const { id } of [long, other]) expect((await deploy(app, id)).status).toBe('success');
    for (let count = 1; count <= 12; count += 1) await makeTenant(app, undefined, { name: `Not deployed ${count}` });
    admin = await visit(url);
    await admin.page.goto('/system/overview');
    await signIn(admin.page);
  });
  afterAll(async () => {
    await proxied?.destroy();
    outside.closeAllConnections();
    outside.close();
  });

  test('the overview shows that all systems are normal, and lists them', async () => {
    const { page } = admin;
    await page.getByRole('heading', { name: 'All systems normal' }).waitFor();
    await page.getByText('local processes, without isolation').waitFor();
    await page.getByText('SQLite, a file in the data directory').waitFor();
    await page.getByText('Repositories').waitFor();
    for (const link of await page.getByRole('navigation', { name: 'Sections of the system' }).getByRole('link').all()) {
      const { x = 0, width = 0 } = (await link.boundingBox()) ?? {};
      expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
    }
    expect(await screen(page, 'system-overview')).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download metrics' }).click(),
    ]);
    expect(await textOf(download)).toContain('tenantry_tenants{status="running"} 2');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Running' })
      .getByRole('link', { name: '2', exact: true })
      .click();
    await page.getByText('2 of 14 tenants').waitFor();
  });

  test('every page links to its part of the guide, which the manager serves', async () => {
    const { page } = admin;
    const guide = await (await fetch(`${url}/help/`)).text();
    const anchors = new Set(helpLinks.map(({ anchor }) => anchor));
    expect([...anchors].filter((anchor) => !guide.includes(`id="${anchor}"`))).toEqual([]);
    for (const [path, part] of [
      [`/tenants/${long.id}/backups`, 'Back up'],
      ['/system/proxy', 'Serve the tenants’ host names'],
      ['/password', 'Sign in'],
    ] as const) {
      await page.goto(path);
      const [help] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('link', { name: 'Help for this page' }).click(),
      ]);
      await help.locator(':target').getByText(part.replace('’', "'")).waitFor();
      expect(await screen(help, `help-${path.split('/').at(-1)}`)).toEqual([]);
      await help.getByRole('link', { name: 'glossary' }).first().click();
      await help.getByRole('heading', { name: 'Glossary' }).waitFor();
      await help.close();
    }
  });

  test('a check of the host shows what each part found, and of a fault the cause and the remedy', async () => {
    const { page } = admin;
    await page.goto('/system/check');
    await page.getByRole('heading', { name: 'Not checked yet' }).waitFor();
    // Local processes need no image.
    expect(await page.getByLabel('Base image').count()).toBe(0);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('heading', { name: 'No fault found' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Reverse proxy' }).getByText(/nginx/).waitFor();
    expect(await screen(page, 'system-check')).toEqual([]);
    outside.removeAllListeners('request').on('request', (_request, response) => {
      response.setHeader('date', new Date(Date.now() - 7_200_000).toUTCString());
      response.end();
    });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: '1 check failed' }).waitFor();
    const clock = page.getByRole('listitem').filter({ hasText: 'Clock' });
    await clock.getByText(/^The clock of the manager’s host differs by 2 h from that of 127\.0\.0\.1:\d+$/).waitFor();
    await clock.getByText(/^Set it by NTP/).waitFor();
    expect(await screen(page, 'system-check-failed')).toEqual([]);
  });

  test('keyboard: ? lists the shortcuts, / searches the page, g h goes home; not while typing', async () => {
    const { page } = admin;
    await page.goto('/tenants');
    await page.getByRole('row').filter({ hasText: 'Green City' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Search this page').waitFor();
    expect(await screen(page, 'shortcuts')).toEqual([]);
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/tenants');
    await page.keyboard.press('/');
    await page.keyboard.type('Green?gh');
    expect(await page.getByLabel('Search tenants').inputValue()).toBe('Green?gh');
    expect(await list.count()).toBe(0);
    await page.getByLabel('Search tenants').fill('');
    await page.getByRole('heading', { name: 'Tenants', level: 1 }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
    await list.waitFor();
    await page.keyboard.press('Escape');
  });

  test('finds ports by tenant and by number, and the address keeps the search', async () => {
    const { page } = admin;
    await page.goto('/system/ports');
    await page.getByText('14 pairs').waitFor();
    await page.getByText('14 in use').waitFor();
    expect(await screen(page, 'system-ports')).toEqual([]);
    await page.getByLabel('Search ports').fill(String(other.backend_port));
    await page.getByText('1 of 14').waitFor();
    await page.reload();
    await page.getByText('1 of 14').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Green City' });
    expect(await row.getByRole('link', { name: String(other.frontend_port) }).getAttribute('href')).toBe(
      `http://127.0.0.1:${other.frontend_port}/`,
    );
    await page.getByLabel('Search ports').fill('nobody');
    await page.getByText('No matching ports').waitFor();
    await page.getByLabel('Search ports').fill('green');
    await row.getByRole('link', { name: 'Green City' }).click();
    await page.getByRole('heading', { name: 'Green City', level: 1 }).waitFor();
  });

  test('shows the proxy’s sites, its last change and its test in its own words', async () => {
    const { page } = admin;
    await page.goto('/system/proxy');
    await page.getByText('2 sites').waitFor();
    await page.getByText('Available').waitFor();
    expect(await page.getByText('In sync', { exact: true }).count()).toBe(2);
    await page.getByText('nginx accepts the configuration').waitFor();
    await page.getByRole('row').filter({ hasText: longName }).getByText('days left').waitFor();
    await page.getByRole('button', { name: 'Test the configuration' }).click();
    await page.getByText('test is successful').waitFor();
    await page.getByText('Passed').waitFor();
    expect(await screen(page, 'proxy')).toEqual([]);
    await choose(page.getByLabel('Show'), 'Sites with problems');
    await page.getByText('No sites have problems').waitFor();
    expect(new URL(page.url()).search).toBe('?show=look');
  });

  test('shows a tenant’s file unchanged, with its certificate', async () => {
    const { page } = admin;
    await page.goto('/system/proxy');
    await page.getByRole('link', { name: longName }).first().click();
    await page.getByRole('heading', { name: longName, level: 2 }).waitFor();
    await page.getByText('self-signed').first().waitFor();
    const { configuration, path } = await proxyOf(proxied.app, long.id);
    await page.getByText(path ?? 'none', { exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'File', exact: true }).textContent()).toBe(configuration);
    expect(await screen(page, 'proxy-site')).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(await textOf(download)).toBe(configuration);
  });

  test('shows manual changes, and repairs them on request', async () => {
    const { page } = admin;
    const { path } = await proxyOf(proxied.app, long.id);
    const { path: gone } = await proxyOf(proxied.app, other.id);
    await appendFile(path ?? '', '# by hand\n');
    await rm(gone ?? '');
    await proxied.app.manager.app.sites.checkDrift();
    await page.goto('/');
    const issue = page.getByRole('listitem').filter({ hasText: '2 sites at the reverse proxy differ' });
    await issue.getByRole('link', { name: 'Show the sites', exact: true }).click();
    await page.waitForURL('**/system/proxy?show=look');
    await page.goto('/system/overview');
    await page.getByRole('heading', { name: '1 issue needs attention' }).waitFor();
    expect(await screen(page, 'system-overview-drift')).toEqual([]);
    await page.getByRole('link', { name: 'Show the sites', exact: true }).click();
    await page.getByText('2 sites differ from the expected configuration').waitFor();
    await page.getByRole('row').filter({ hasText: longName }).getByText('Changed manually').waitFor();
    await page.getByRole('row').filter({ hasText: 'Green City' }).getByText('Missing').waitFor();
    expect(await screen(page, 'proxy-drift')).toEqual([]);
    await page.getByRole('button', { name: 'Repair 2 sites' }).click();
    await page.getByRole('heading', { name: 'Repair 2 sites?' }).waitFor();
    expect(await screen(page, 'proxy-repair')).toEqual([]);
    await page.getByRole('button', { name: 'Repair', exact: true }).click();
    await page.getByText('The proxy has been reloaded; repaired').waitFor();
    await page.getByText('No sites have problems').waitFor();
    expect(await readFile(path ?? '', 'utf8')).not.toContain('# by hand');
    await proxied.app.manager.app.sites.checkDrift();
  });

  test('an operator may test the proxy, but not reload or repair it', async () => {
    const { id, password } = await proxied.app.userOf('operator');
    const { body } = await proxied.app.call<{ username: string }>('GET', `/api/users/${id}`);
    const { page, complaints } = await visit(url);
    await page.goto('/system/proxy');
    await signIn(page, body.username, password);
    await page.getByRole('button', { name: 'Test the configuration' }).waitFor();
    await page.getByText('2 sites').waitFor();
    expect(await page.getByRole('button', { name: /Reload|Repair/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('shows an unavailable proxy, with the reason', async () => {
    const { page } = admin;
    await proxied.nginx.stop();
    await page.goto('/system/proxy');
    await page.getByText('nginx is unavailable').waitFor();
    expect(await screen(page, 'proxy-away')).toEqual([]);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Reload', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await screen(page, 'proxy-reload')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('The reverse proxy is unavailable').waitFor();
    await proxied.nginx.start();
  });

  test('without a proxy the page explains how to set one up', async () => {
    const app: App = await startApp();
    const { page, complaints } = await visit(app.manager.dashboardUrl ?? '');
    await page.goto('/system/proxy');
    await signIn(page);
    await page.getByRole('heading', { name: 'No reverse proxy' }).waitFor();
    expect(await screen(page, 'proxy-none')).toEqual([]);
    await page.getByRole('link', { name: 'Ports' }).click();
    await page.getByRole('heading', { name: 'No ports in use' }).waitFor();
    expect(await screen(page, 'system-ports-none')).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
    await app.stop();
  });

  test('keeps the credentials of a registry for chosen tenants, without showing the password again', async () => {
    const { page } = admin;
    await page.goto('/system/registries');
    await page.getByRole('heading', { name: 'No credentials' }).waitFor();
    expect(await screen(page, 'registries-none')).toEqual([]);
    await page.getByRole('button', { name: 'Add registry' }).click();
    const panel = page.getByRole('dialog', { name: 'Add registry' });
    await panel.getByLabel('Registry').fill('https://registry.example.org/');
    await panel.getByLabel('User name').fill('reader');
    await panel.getByLabel('Password or token').fill('image-pass/+word');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.locator('[data-invalid]').first().waitFor();
    expect(await screen(page, 'registries-form')).toEqual([]);
    await panel.getByLabel('Registry').fill('registry.example.org');
    await panel.getByLabel('Repositories').fill('https://git.example.org/team/app.git');
    await panel.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'registry.example.org' });
    await row.getByText('1 repository').waitFor();
    expect(await screen(page, 'registries')).toEqual([]);
    await row.getByRole('button', { name: 'Test the credentials' }).click();
    await page.getByRole('heading', { name: 'This runtime pulls no images' }).waitFor();

    await row.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edited = page.getByRole('dialog', { name: 'Edit registry' });
    expect(await edited.getByLabel('Password or token').inputValue()).toBe('');
    await edited.getByLabel('User name').fill('robot');
    await edited.getByRole('button', { name: 'Save' }).click();
    await row.getByText('robot').waitFor();
    await row.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No credentials' }).waitFor();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(admin.complaints).toEqual([]);
  });
}

describeInBrowser('the manager’s own pages, by a browser', suite, describeWithNginx);
