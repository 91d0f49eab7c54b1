import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../../harness/data/tenants.ts';

describeInBrowser('Home', () => {
  let app: App;
  let visited: Visit;
  let tenants: TenantAnswer[];
  let failing: string;

  beforeAll(async () => {
    app = await startApp({ healthTimeoutMs: 5_000 });
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    const names = ['Bright Harbor Alliance', 'Greenville Votes', 'Hollins for Senate'];
    tenants = await Promise.all(names.map((name) => makeTenant(app, repository.path, { name })));
    for (const { id } of tenants) await deploy(app, id, { target_version: 'v1.1.0' });
    const [sick] = tenants as [TenantAnswer];
    const environment = await (await fetch(`http://127.0.0.1:${sick.backend_port}/env`)).json();
    failing = join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing');
    visited = await visit(app.manager.dashboardUrl ?? '');
    await visited.page.goto('/');
    await signIn(visited.page);
  });
  afterAll(async () => {
    for (const { id } of tenants) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const check = async ({ id }: TenantAnswer) =>
    (await app.call<{ overall_status: string }>('POST', `/api/tenants/${id}/health-check`)).body.overall_status;

  test('is quiet while nothing needs attention, and shows versions and activity', async () => {
    const { page } = visited;
    await Promise.all(tenants.map(check));
    await page.getByText('Nothing needs attention.').waitFor();
    await page.getByRole('link', { name: 'v1.1.0: 3 tenants' }).waitFor();
    expect(await page.getByRole('navigation').getByText('needs attention').count()).toBe(0);
    expect(await page.getByRole('listitem').filter({ hasText: 'Deployment' }).count()).toBeGreaterThan(0);
    expect(await screen(page, 'home-quiet')).toEqual([]);
  });

  test('names problems as they happen, the worst first, each with its cause and one action', async () => {
    const { page } = visited;
    const [sick, broken] = tenants as [TenantAnswer, TenantAnswer];
    await setEnvironment(app, broken.id, { MODE: 'crash' });
    await deploy(app, broken.id);
    await until(
      () => check(broken),
      (health) => health === 'healthy',
    );
    await page
      .getByText(/The API (ends with exit code 3|crashes: exit 3)/)
      .first()
      .waitFor();
    await writeFile(failing, '');
    await check(sick);
    const items = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await items.filter({ hasText: 'The API says that it is not healthy' }).waitFor();
    expect(await items.allInnerTexts()).toEqual([
      expect.stringMatching(`^${sick.name}Unhealthy`),
      expect.stringMatching(`^${broken.name}Deployment failed`),
    ]);
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByText('2 items need attention')
      .waitFor({ state: 'attached' });
    expect(await screen(page, 'home')).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await screen(page, 'home-phone')).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: `See what failed: ${broken.name}` }).click();
    await page.getByRole('heading', { name: 'Steps' }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await rm(failing);
    await check(sick);
    await items.filter({ hasText: 'The API says that it is not healthy' }).waitFor({ state: 'detached' });
  });

  test('names what is wrong with the manager, and counts it in the navigation', async () => {
    const { page } = visited;
    const setting = '/api/settings/min_free_disk_mb';
    const { body: before } = await app.call<{ value: number }>('GET', setting);
    await app.call('PUT', setting, { body: { value: 10_000_000 } });
    const count = page.getByRole('navigation', { name: 'Main' }).getByText('items need attention');
    const both = count.filter({ hasText: '2 ' });
    await page.getByText('Little disk space is left').waitFor();
    await both.waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'System', exact: true }).click();
    await page.getByRole('heading', { name: '1 issue needs attention' }).waitFor();
    await app.call('PUT', setting, { body: { value: before.value } });
    await page.getByRole('heading', { name: 'All systems normal' }).waitFor();
  });

  test('the list shows which tenants can be upgraded, and filters them', async () => {
    const { page } = visited;
    const [, behind] = tenants as [TenantAnswer, TenantAnswer];
    await setEnvironment(app, behind.id, {});
    expect(await deploy(app, behind.id, { target_version: 'v1.0.0' })).toMatchObject({ error: null });
    await app.manager.app.upgrades.updates.run(new AbortController().signal);
    await page.goto('/tenants?update=available');
    await page.getByText('1 of 3 tenants').waitFor();
    await page.getByRole('row').filter({ hasText: 'Greenville Votes' }).waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Show Update' }).click();
    await page.getByRole('row').filter({ hasText: 'Greenville Votes' }).getByText('v1.1.0').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitem', { name: 'Hide Update' }).click();
  });

  test('leads old addresses of the list to the list', async () => {
    const { page, complaints } = visited;
    await page.goto('/?status=running');
    await page.getByRole('heading', { name: 'Tenants', level: 1 }).waitFor();
    expect(page.url()).toContain('/tenants?status=running');
    expect(complaints).toEqual([]);
  });
});
