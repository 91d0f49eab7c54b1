import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openManagerStore } from '../../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { type ProxiedApp, startProxiedApp } from '../../../harness/app/proxied-app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';
import { describeWithNginx } from '../../../harness/proxy/nginx.ts';
import { type NameServer, startNameServer } from '../../../harness/servers/dns.ts';
import { issue } from '../../../unit/adapters/certificates/issue.ts';

/** Each kind of problem that is no outage, with its cause and its action, on real tenants behind a real nginx. */
function suite(): void {
  const domain = 'cedar.example.org';
  let certificates: string;
  let names: NameServer;
  let proxied: ProxiedApp;
  let admin: Visit;
  let cedar: TenantAnswer;
  let dover: TenantAnswer;
  let elm: TenantAnswer;
  let fern: TenantAnswer;

  beforeAll(async () => {
    certificates = await mkdtemp(join(tmpdir(), 'tenantry-home-'));
    const { pem, key } = await issue({ names: [domain, `api.${domain}`], until: new Date(Date.now() + 3_600_000) });
    await writeFile(join(certificates, `${domain}.crt`), pem);
    await writeFile(join(certificates, `${domain}.key`), key);
    names = await startNameServer({});
    proxied = await startProxiedApp({
      CERTIFICATES: 'files',
      CERTIFICATE_DIRECTORY: certificates,
      DNS_SERVERS: names.address,
    });
    const { app, repository } = proxied;
    const make = async (name: string, fields = {}, version = 'v1.1.0') => {
      const tenant = await makeTenant(app, repository.path, { name, ...fields });
      expect(await deploy(app, tenant.id, { target_version: version })).toMatchObject({ error: null });
      return getTenant(app, tenant.id);
    };
    cedar = await make('Cedar Trust', { domain, api_domain: `api.${domain}` });
    dover = await make('Dover Choir');
    elm = await make('Elm Street School', {}, 'v1.0.0');
    fern = await make('Fern Valley', {}, 'v1.0.0');
    await app.manager.app.upgrades.updates.run(new AbortController().signal);
    admin = await visit(app.manager.dashboardUrl ?? '');
    await admin.page.goto('/');
    await signIn(admin.page);
  });
  afterAll(async () => {
    await proxied?.destroy();
    await names?.stop();
    await rm(certificates, { recursive: true, force: true });
  });

  const check = ({ id }: TenantAnswer) => proxied.app.call('POST', `/api/tenants/${id}/health-check`);
  const items = (): Locator => admin.page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
  const itemOf = ({ name }: TenantAnswer, kind: string): Locator =>
    items()
      .filter({ hasText: String(name) })
      .filter({ hasText: kind });
  const count = (): Locator => admin.page.getByRole('navigation', { name: 'Main' }).getByText('need attention');
  const home = async (): Promise<void> => void (await admin.page.goto('/'));

  test('tenants that are behind are one item, which is not counted, and lead to the upgrade', async () => {
    const { page } = admin;
    await home();
    const behind = items().filter({ hasText: '2 tenants are behind v1.1.0.' });
    await behind.waitFor();
    expect(await items().filter({ hasText: 'behind' }).count()).toBe(1);
    await behind.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('2 of 4 tenants').waitFor();
    await home();
    await behind.getByRole('link', { name: 'Upgrade…' }).click();
    await page.getByRole('heading', { name: 'Upgrade many tenants' }).waitFor();
  });

  test('a certificate that expires leads to the site', async () => {
    const { page } = admin;
    await check(cedar);
    await home();
    const item = itemOf(cedar, 'Certificate');
    await item.getByText('and has not been renewed').waitFor();
    expect(await itemOf(cedar, 'Degraded').count()).toBe(0);
    await item.getByRole('link', { name: `Check the site: ${cedar.name}` }).click();
    await page.waitForURL(`**/system/proxy/${cedar.id}`);
  });

  test('a degraded tenant and its failed backup, each with the cause', async () => {
    const { page } = admin;
    const file = join(dover.directory, 'data', 'tenant.db');
    const good = await readFile(file);
    await writeFile(file, 'no database at all, but long enough to look at it');
    await check(dover);
    await proxied.app.call('POST', `/api/tenants/${dover.id}/backups`);
    await home();
    const degraded = itemOf(dover, 'Degraded');
    await degraded.getByText('database').waitFor();
    const failed = itemOf(dover, 'Backup failed');
    await failed.getByText('database').waitFor();
    await count().waitFor({ state: 'attached' });
    expect(await screen(page, 'home-warnings')).toEqual([]);
    await degraded.getByRole('link', { name: `See the checks: ${dover.name}` }).click();
    await page.waitForURL(`**/tenants/${dover.id}`);
    await home();
    await failed.getByRole('link', { name: `See what failed: ${dover.name}` }).click();
    await page.waitForURL(`**/tenants/${dover.id}/backups`);
    await writeFile(file, good);
    await check(dover);
  });

  test('a backup that is missing is made at once', async () => {
    const address = `sqlite:${join(proxied.app.directory, 'data', 'tenantry.db')}`;
    const store = await openManagerStore(address, createLogger({ level: 'silent' }));
    const replacements = { id: elm.id, twoDaysAgo: new Date(Date.now() - 2 * 86_400_000) };
    await store.sequelize
      .query('UPDATE tenants SET deployed_at = :twoDaysAgo WHERE id = :id', { replacements })
      .finally(() => store.close());
    await home();
    const item = itemOf(elm, 'Backup missing');
    await item.getByText('There is no backup').waitFor();
    await item.getByRole('button', { name: `Back up: ${elm.name}` }).click();
    await item.waitFor({ state: 'detached' });
    expect((await proxied.app.call('GET', `/api/tenants/${elm.id}/backups`)).body).toMatchObject({ total: 1 });
  });

  test('a stopped tenant says who stopped it, and is started at once', async () => {
    const { page } = admin;
    await proxied.app.call('POST', `/api/tenants/${fern.id}/stop`);
    await home();
    const item = itemOf(fern, 'Stopped');
    await item.getByText('admin stopped the services').waitFor();
    expect(await screen(page, 'home-stopped')).toEqual([]);
    const start = item.getByRole('button', { name: `Start: ${fern.name}` });
    await page.setViewportSize({ width: 390, height: 844 });
    expect((await start.boundingBox())?.width).toBeGreaterThan(50);
    await page.setViewportSize({ width: 1440, height: 900 });
    await start.click();
    await item.waitFor({ state: 'detached' });
    expect((await proxied.app.call('GET', `/api/tenants/${fern.id}`)).body).toMatchObject({ status: 'running' });
  });

  test('a healthy tenant whose host name has no address leads to the cause and its remedy', async () => {
    const { page } = admin;
    const { app } = proxied;
    await app.call('PUT', '/api/settings/public_addresses', { body: { value: '203.0.113.7' } });
    await check(dover);
    await app.manager.findUnseenFaults();
    await app.manager.findUnseenFaults();
    await home();
    const item = itemOf(dover, 'Host name');
    await item.getByText(`The host name ${dover.domain} has no address`).waitFor();
    await item.getByRole('link', { name: `See the cause: ${dover.name}` }).click();
    const diagnosis = page.getByRole('region', { name: 'Diagnosis' });
    await diagnosis.getByText('Correct its records at the provider of the host name.').waitFor();
    await diagnosis.getByText('Visitors do not reach the site by this name.').waitFor();
    expect(await screen(page, 'tenant-without-address')).toEqual([]);
    await app.call('PUT', '/api/settings/public_addresses', { body: { value: '' } });
    await app.manager.findUnseenFaults();
    await app.manager.findUnseenFaults();
    await home();
    await count().waitFor({ state: 'attached' });
    await item.waitFor({ state: 'detached' });
  });

  test('a viewer sees the place instead of the action', async () => {
    await proxied.app.call('POST', `/api/tenants/${fern.id}/stop`);
    const viewer = await proxied.app.userOf('viewer');
    const { page, complaints } = await visit(proxied.app.manager.dashboardUrl ?? '');
    await page.goto('/');
    await signIn(page, viewer.username, viewer.password);
    await page.getByRole('link', { name: `Show details: ${fern.name}` }).waitFor();
    await page.getByText('2 tenants are behind v1.1.0.').waitFor();
    expect(await page.getByRole('link', { name: 'Upgrade…' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('the browser reported no errors', () => {
    expect(admin.complaints).toEqual([]);
  });
}

describeInBrowser('what needs attention on Home, by a browser', suite, describeWithNginx);
