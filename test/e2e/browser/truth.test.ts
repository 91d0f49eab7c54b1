import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../harness/app/app.ts';
import { describeInBrowser, dialogClosed, screen, signIn, type Visit, visit } from '../../harness/browser/browser.ts';
import { smallTargets } from '../../harness/browser/small-targets.ts';
import { tabThrough } from '../../harness/browser/tab-through.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { analyze, listPath, upload } from '../../harness/data/lists.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';

/** Only the used parts of a page; a browser's global types would hide those of Node. */
interface Box {
  getBoundingClientRect(): { width: number; height: number };
  textContent: string;
}
declare const document: {
  querySelectorAll(selector: string): Iterable<Box>;
};

describeInBrowser('the dashboard shows the true state', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let repository: FixtureRepository;
  let tenant: TenantAnswer;
  const name = 'Bright Harbor Alliance';

  beforeAll(async () => {
    app = await startApp();
    repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name });
    expect((await deploy(app, tenant.id)).status).toBe('success');
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  test('marks a tenant’s page in the navigation, and each of its sections has its own title', async () => {
    const titles = new Set<string>();
    for (const section of ['', '/deployments', '/lists', '/configuration', '/logs', '/theme', '/backups', '/upgrade']) {
      await page.goto(`/tenants/${tenant.id}${section}`);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      const present = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]');
      expect(await present.innerText()).toBe('Tenants');
      titles.add(await page.title());
    }
    expect(titles.size).toBe(8);
    expect([...titles].every((title) => title.includes(name))).toBe(true);
  });

  test('does not silently overwrite a configuration that another user changed', async () => {
    await page.goto(`/tenants/${tenant.id}/configuration`);
    await page.getByLabel('Project', { exact: false }).first().waitFor();
    const field = page.locator('[name="app_name"]');
    await field.fill('Written here');
    await app.call('PUT', `/api/tenants/${tenant.id}/config`, { body: { app_name: 'Written elsewhere' } });
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText('Someone else changed this configuration while you were editing').waitFor();
    await page.getByText(/^Changed: /).waitFor();
    expect(await screen(page, 'config-overtaken')).toEqual([]);
    await expect(field.inputValue()).resolves.toBe('Written here');
    await page.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('Written elsewhere').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await dialogClosed(page);
    const { body } = await app.call<{ app_name: string }>('GET', `/api/tenants/${tenant.id}/config`);
    expect(body.app_name).toBe('Written here');
  });

  test('a theme that was never changed does not wait for a restart when the configuration does', async () => {
    await setEnvironment(app, tenant.id, { SOMETHING: 'new' });
    await page.goto(`/tenants/${tenant.id}/theme`);
    await page.getByText('The site shows the saved theme').waitFor();
    expect(await page.getByText('Restart to apply').count()).toBe(0);
    expect(await screen(page, 'theme-unchanged')).toEqual([]);
    const form = new FormData();
    form.set('primary_color', '#123456');
    const saved = await fetch(`${app.url}/api/tenants/${tenant.id}/theme`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${app.token}` },
      body: form,
    });
    expect(saved.status).toBe(200);
    await page.reload();
    await page.getByText('Restart to apply').waitFor();
  });

  test('reports that a list was deleted elsewhere instead of showing its form', async () => {
    const { job_id: id } = await upload(app, tenant.id, 'First Name,Last Name\nAnn,Lee\n', 'gone.csv');
    await analyze(app, tenant.id, id);
    await page.goto(`/tenants/${tenant.id}/lists/${id}/check`);
    await page.getByRole('link', { name: 'Continue to import' }).click();
    const submit = page.getByRole('button', { name: 'Import 1 person' });
    await submit.waitFor();
    expect((await app.call('DELETE', listPath(tenant.id, id))).status).toBe(200);
    await submit.click();
    await page.getByRole('heading', { name: 'This list no longer exists' }).waitFor();
    expect(await submit.count()).toBe(0);
    expect(await page.getByText(id).count()).toBe(0);
    expect(await screen(page, 'list-gone')).toEqual([]);
  });

  test('the audit log finds actions on a tenant by its name', async () => {
    await page.goto('/journal?q=Bright+Harbor');
    await page.getByText(`Tenant ${tenant.slug} is running`).first().waitFor();
  });

  test('what can be pressed or filled in is at least 24 pixels wide and high, except in sentences', async () => {
    for (const place of ['/journal', '/system/ports', '/', '/tenants', `/tenants/${tenant.id}`]) {
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(place);
        await page
          .getByRole('link', { name: /Bright Harbor|Audit log/ })
          .first()
          .waitFor();
        await page.getByRole('main').getByRole('link').first().waitFor();
        expect([place, width, await smallTargets(page)]).toEqual([place, width, []]);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('shows the focus: on the list of tenants and when signing in', async () => {
    await page.goto('/tenants');
    await page.getByRole('row').filter({ hasText: name }).waitFor();
    const list = await tabThrough(page);
    expect(list.count).toBeGreaterThan(15);
    expect(list.unmarked).toEqual([]);
    const visitor = await visit(app.manager.dashboardUrl ?? '');
    await visitor.page.goto('/sign-in');
    await visitor.page.getByLabel('Username').waitFor();
    const signingIn = await tabThrough(visitor.page);
    expect(signingIn.count).toBeGreaterThanOrEqual(4);
    expect(signingIn.unmarked).toEqual([]);
    expect(await screen(visitor.page, 'sign-in-help')).toEqual([]);
    await visitor.page.context().close();
  });

  test('a page that does not exist says so', async () => {
    await page.goto('/no-such-page');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await screen(page, 'not-found')).toEqual([]);
  });

  test('on a phone no label of a cell covers another, even if a cell is empty', async () => {
    expect((await app.call('POST', `/api/tenants/${tenant.id}/backups`, { body: {} })).status).toBe(201);
    await page.setViewportSize({ width: 390, height: 900 });
    for (const [section, shown] of [
      ['deployments?all', 'Backup'],
      ['upgrade', 'v1.0.0'],
    ] as const) {
      await page.goto(`/tenants/${tenant.id}/${section}`);
      await page.getByRole('row', { name: shown }).first().waitFor();
      const low = await page.evaluate(() =>
        [...document.querySelectorAll('td')]
          .map((cell) => cell.getBoundingClientRect().height)
          .filter((height) => height > 0 && height < 24),
      );
      expect([section, low]).toEqual([section, []]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('does not propose a version whose upgrade was halted, and warns when it is chosen', async () => {
    await repository.release('v9.0.0', { 'server.js': 'process.exit(3);' });
    const { body } = await app.call<{ id: string }>('POST', '/api/upgrades', {
      body: { target_version: 'v9.0.0', tenant_ids: [tenant.id], rings: ['100%'], max_failures: 0 },
    });
    await until(
      () => app.call<{ status: string }>('GET', `/api/upgrades/${body.id}`),
      ({ body: { status } }) => status === 'halted' || status === 'completed',
    );
    await page.goto('/upgrades/new');
    await page.getByText('The last upgrade to v9.0.0 was halted after failures').waitFor();
    const version = page.getByLabel('Target version');
    await expect(version.inputValue()).resolves.toBe('');
    expect(await screen(page, 'upgrade-halted-version')).toEqual([]);
    await version.fill('v1.0.0');
    await page.getByText('was halted after failures').waitFor({ state: 'detached' });
    await version.fill('v9.0.0');
    await page.getByText('The last upgrade to v9.0.0 was halted after failures').waitFor();
  });

  test('pages have no nameless header and no two landmarks with one name, and the router reports no problem', async () => {
    const warnings: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text());
    });
    for (const place of [
      '/',
      '/tenants',
      `/tenants/${tenant.id}/logs`,
      `/tenants/${tenant.id}/theme`,
      '/system/settings',
    ]) {
      await page.goto(place);
      await page.getByRole('heading').first().waitFor();
      const names = await page.getByRole('columnheader').allTextContents();
      expect(names.filter((one) => one.trim() === '')).toEqual([]);
      const regions = await page
        .getByRole('region')
        .evaluateAll((all) =>
          (all as unknown as { getAttribute(name: string): string | null }[]).map((one) =>
            one.getAttribute('aria-label'),
          ),
        );
      const named = regions.filter((label) => label !== null);
      expect(new Set(named).size).toBe(named.length);
    }
    await page.goBack();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(warnings.filter((text) => /HydrateFallback|blocker/.test(text))).toEqual([]);
  });

  test('retries a style sheet that fails to load, and reports a permanent failure', async () => {
    const lost = await visit(app.manager.dashboardUrl ?? '');
    const asked: string[] = [];
    await lost.page.route('**/*.css', (route) => {
      asked.push(route.request().url());
      return asked.length === 1 ? route.abort() : route.continue();
    });
    await lost.page.goto('/sign-in');
    await lost.page.getByLabel('Username').waitFor();
    expect(asked.filter((url) => url === asked[0]).length).toBeGreaterThan(1);
    const [width] = await lost.page.evaluate(() =>
      [...document.querySelectorAll('img, svg')].map((one) => one.getBoundingClientRect().width),
    );
    expect(width).toBeLessThan(64);
    // A separate visit: an earlier one may have filled the browser's cache.
    const away = await visit(app.manager.dashboardUrl ?? '');
    await away.page.route('**/*.css', (route) => route.abort());
    await away.page.goto('/sign-in');
    await away.page.getByText('The page could not be loaded completely').waitFor();
    await away.page.unroute('**/*.css');
    await away.page.reload();
    await away.page.getByLabel('Username').waitFor();
  });

  test.each(['*', 'routes-*'])(
    'says so if %s.js can’t be loaded, in the page’s colours, and loads again',
    async (name) => {
      const lost = await visit(app.manager.dashboardUrl ?? '', { colorScheme: 'dark' });
      await lost.page.route(`**/assets/${name}.js`, (route) => route.abort());
      await lost.page.goto('/sign-in');
      await lost.page.getByRole('alert').getByText('The page could not be loaded completely').waitFor();
      expect(await lost.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(17, 19, 22)');
      await lost.page.unroute(`**/assets/${name}.js`);
      await lost.page.getByRole('button', { name: 'Load again' }).click();
      await lost.page.getByLabel('Username').waitFor();
      expect(lost.complaints).toEqual([]);
    },
  );

  test('causes no browser errors', () => {
    expect(first.complaints).toEqual([]);
  });
});
