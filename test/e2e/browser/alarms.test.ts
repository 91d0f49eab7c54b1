import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type App, startApp } from '../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';

/** Its API does not respond while the file `silent` exists, its site responds with 503 while `failing` exists. */
const server = `
const http = require('node:http');
const { existsSync } = require('node:fs');
const role = process.argv[2];
http.createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://unit');
  if (pathname === '/env') return response.end(JSON.stringify(process.env));
  if (role !== 'frontend' && existsSync(process.env.IMPORT_DIR + '/silent')) return request.socket.destroy();
  if (role === 'frontend' && existsSync(process.env.IMPORT_DIR + '/failing')) return response.writeHead(503).end();
  if (role !== 'frontend' && pathname === '/docs' && existsSync(process.env.IMPORT_DIR + '/no-docs')) return response.writeHead(500).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"healthy"}');
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log(role + ' listens'));
process.on('SIGTERM', () => process.exit(0));
`;

describeInBrowser('an unhealthy tenant, by a browser', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let ill: TenantAnswer;
  let well: TenantAnswer;
  let directory = '';
  const name = 'Bright Harbor Alliance';

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await repository.release('v1.2.0', { 'server.js': server });
    ill = await makeTenant(app, repository.path, { name });
    well = await makeTenant(app, repository.path, { name: 'São Tomé Volunteers' });
    for (const { id } of [ill, well]) expect((await deploy(app, id)).status).toBe('success');
    await makeTenant(app, undefined, { name: 'Not deployed' });
    for (const { id } of [ill, well]) await check(id);
    const environment = (await (await fetch(`http://127.0.0.1:${ill.backend_port}/env`)).json()) as Record<
      string,
      string
    >;
    directory = environment.IMPORT_DIR ?? '';
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    for (const { id } of [ill, well]) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const check = (id: string) => app.call('POST', `/api/tenants/${id}/health-check`);
  const fail = async (how: 'silent' | 'failing' | 'no-docs'): Promise<void> => {
    await writeFile(join(directory, how), '');
    await check(ill.id);
  };
  const recover = async (): Promise<void> => {
    for (const how of ['silent', 'failing', 'no-docs']) await rm(join(directory, how), { force: true });
    await check(ill.id);
  };
  const row = (which: string): Locator => page.getByRole('row', { name: which });

  test('a healthy one is no alarm: no count in the navigation, no alert', async () => {
    await page.getByRole('button', { name: 'Unhealthy 0' }).waitFor();
    await page.getByRole('button', { name: 'Healthy 2' }).waitFor();
    expect(await page.getByRole('navigation').getByText('unhealthy').count()).toBe(0);
    expect(await page.title()).toBe('Tenants · Tenantry');
    await page.goto(`/tenants/${ill.id}`);
    await page.getByRole('heading', { name: 'Everything works' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('names the failed service, the reason and the time on its overview, as an alert', async () => {
    await fail('silent');
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'The API gives no valid answer' }).waitFor();
    const { health_since } = await getTenant(app, ill.id);
    await alert.getByText('Unhealthy since').waitFor();
    expect(await alert.locator('time').first().getAttribute('datetime')).toBe(health_since);
    await alert.getByText('just now').waitFor();
    expect(await alert.evaluate((element) => (element as unknown as { dataset: { tone: string } }).dataset.tone)).toBe(
      'bad',
    );
    expect(await screen(page, 'alarm-overview')).toEqual([]);
  });

  test('is counted in the navigation, in the title and in the list’s filters, and its row is marked', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByText('1 tenant unhealthy').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Tenants' }).first().click();
    await page.getByRole('button', { name: 'Unhealthy 1' }).waitFor();
    expect(await page.title()).toBe('(1) Tenants · Tenantry');
    expect(await row(name).getAttribute('data-alarm')).toBe('true');
    expect(await row('São Tomé').getAttribute('data-alarm')).toBeNull();
    expect(await screen(page, 'alarm-list')).toEqual([]);
    await page.getByRole('button', { name: 'Unhealthy 1' }).click();
    await page.getByText('1 of 3 tenants').waitFor();
    await row(name).waitFor();
    await page.getByRole('button', { name: 'Unhealthy 1' }).click();
    await page.getByText('3 tenants', { exact: true }).waitFor();
  });

  test('is counted on a page that was opened without the list', async () => {
    await page.goto('/upgrades');
    await page.getByRole('navigation', { name: 'Main' }).getByText('1 tenant unhealthy').waitFor({ state: 'attached' });
  });

  test('is an issue in the system’s overview, with a link', async () => {
    await page.goto('/system/overview');
    await page.getByRole('heading', { name: '1 issue needs attention' }).waitFor();
    await page.getByText('1 running tenant is unhealthy').waitFor();
    expect(await screen(page, 'alarm-system')).toEqual([]);
    const look = page
      .getByRole('listitem')
      .filter({ hasText: 'is unhealthy' })
      .getByRole('link', { name: 'Show details' });
    expect((await look.boundingBox())?.height).toBeGreaterThanOrEqual(23.9);
    await look.click();
    await page.getByText('1 of 3 tenants').waitFor();
    await row(name).waitFor();
  });

  test('leaves space for each entry of the navigation on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/system/overview');
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByText('1 tenant unhealthy').waitFor({ state: 'attached' });
    const box = await navigation.getByRole('link', { name: 'System' }).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/tenants');
  });

  test('an error response is distinguished from no response', async () => {
    await recover();
    await fail('failing');
    await page.goto(`/tenants/${ill.id}`);
    await page.getByRole('alert').getByRole('heading', { name: 'The site answers with errors' }).waitFor();
  });

  test('a degraded one is a warning, not an alarm', async () => {
    await recover();
    await fail('no-docs');
    await page.getByRole('heading', { name: 'The page that tenant.yaml names as probe' }).waitFor();
    await page.getByText('Degraded since').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(
      await page
        .getByRole('heading', { name: 'The page that tenant.yaml names' })
        .locator('../..')
        .getAttribute('data-tone'),
    ).toBe('warn');
    expect(await screen(page, 'warning-overview')).toEqual([]);
    await recover();
  });

  test('one stopped on purpose is not checked, and not unhealthy', async () => {
    await app.call('POST', `/api/tenants/${well.id}/stop`);
    await check(well.id);
    await page.goto('/tenants');
    await row('São Tomé').getByText('Not checked').waitFor();
    await page.getByRole('button', { name: 'Unhealthy 0' }).waitFor();
    expect(await row('São Tomé').getAttribute('data-alarm')).toBeNull();
    await row('São Tomé').getByRole('link').click();
    await page.getByRole('heading', { name: 'The tenant is stopped' }).waitFor();
    await page.getByText('The tenant is stopped, so its health is not checked.').waitFor();
    await page.getByText('Not running').first().waitFor();
    expect(await page.getByText('They use the current').count()).toBe(0);
    expect(await page.getByText('Unhealthy', { exact: true }).count()).toBe(0);
    expect(await page.getByText('Down', { exact: true }).count()).toBe(0);
    expect(await screen(page, 'stopped-overview')).toEqual([]);
  });

  test('is found without accents', async () => {
    await page.goto('/tenants');
    await page.getByLabel('Search tenants').fill('sao tome');
    await page.getByText('1 of 3 tenants').waitFor();
    await row('São Tomé').waitFor();
    const { body } = await app.call<{ total: number }>('GET', '/api/tenants?search=sao%20tome');
    expect(body.total).toBe(1);
  });

  test('causes no browser errors', () => {
    expect(first.complaints).toEqual([]);
  });
});
