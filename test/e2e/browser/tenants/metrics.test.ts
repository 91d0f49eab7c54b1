import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../../harness/data/tenants.ts';

describeInBrowser('measurements, by a browser', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name: 'Bright Harbor Alliance' });
    expect((await deploy(app, tenant.id)).status).toBe('success');
    const last = await app.manager.app.health.check(tenant.id);
    // Two hours of checks before now; a quarter of an hour of them failed.
    for (let minute = 120; minute > 0; minute -= 1) {
      const at = new Date(Date.now() - minute * 60_000).toISOString();
      const failed = minute > 60 && minute <= 75;
      const found = { ...last, last_check: at, overall_status: failed ? 'unhealthy' : 'healthy' } as const;
      app.manager.app.history.record({ id: tenant.id, slug: tenant.slug } as never, found, {});
    }
    const { signal } = new AbortController();
    for (let times = 0; times < 2; times += 1) await app.manager.app.history.measureUsage(signal);
    await app.manager.app.history.measureNodes();
    app.manager.app.history.measureManager();
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
    await page.goto(`/tenants/${tenant.id}/metrics`);
    await signIn(page);
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const chart = (name: string) => page.getByRole('img', { name: new RegExp(`^${name}`) });

  test('the tab has charts, which say their last and highest values', async () => {
    await page.getByRole('link', { name: 'Metrics', exact: true }).waitFor();
    await chart('Response time: Site: last .* ms, highest .* ms; API:').waitFor();
    await chart('Availability: Availability: last 100 %').waitFor();
    await chart('Memory: Average: last .* MB').waitFor();
    expect(await page.locator('.uplot canvas').count()).toBeGreaterThanOrEqual(3);
    expect(await screen(page, 'metrics')).toEqual([]);
  });

  test('shows the values at the pointer in every chart', async () => {
    const legend = page.locator('figure', { hasText: 'Response time' }).locator('.u-legend');
    const other = page.locator('figure', { hasText: 'Availability' }).locator('.u-legend');
    await page
      .locator('figure', { hasText: 'Response time' })
      .locator('.u-over')
      .hover({ position: { x: 250, y: 40 } });
    await expect(legend.textContent()).resolves.toMatch(/Site\d\S* ms/);
    await expect(other.textContent()).resolves.toMatch(/Availability\d\S* %/);
  });

  test('a range is chosen, and kept in the address', async () => {
    await page.getByRole('button', { name: '1 h', exact: true }).click();
    await page.waitForURL(/range=1h/);
    await page.reload();
    await page.getByRole('button', { name: '1 h', exact: true, pressed: true }).waitFor();
    await chart('Availability: Availability: last 100 %').waitFor();
  });

  test('dragging zooms, a double click shows everything again', async () => {
    const over = page.locator('figure', { hasText: 'Response time' }).locator('.u-over');
    const box = await over.boundingBox();
    if (!box) throw new Error('The chart has no place');
    const legend = page.locator('figure', { hasText: 'Response time' }).locator('.u-legend .u-value').first();
    /** The moment near the start of the chart. */
    const start = async (): Promise<string | null> => {
      await over.hover({ position: { x: box.width * 0.6, y: 90 } });
      await over.hover({ position: { x: box.width * 0.05, y: 90 } });
      return legend.textContent();
    };
    const whole = await start();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 50, { steps: 5 });
    await page.mouse.up();
    expect(await start()).not.toBe(whole);
    await over.dblclick();
    expect(await start()).toBe(whole);
  });

  test('the overview has 90 days and what is left of the error budget', async () => {
    await page.goto(`/tenants/${tenant.id}`);
    const strip = page.getByRole('img', { name: /^Last 90 days: \d/ });
    await strip.waitFor();
    expect(await strip.locator('span').count()).toBe(90);
    await page.getByText(/Error budget/).waitFor();
  });

  test('home has the fleet, and leads to the report of the month', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Availability, last 90 days' }).waitFor();
    await page.getByRole('link', { name: 'Monthly report' }).click();
    const row = page.getByRole('row', { name: /Bright Harbor Alliance/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/\d %/);
    expect(await screen(page, 'availability-report')).toEqual([]);
    await page.getByRole('link', { name: 'Previous month' }).click();
    await page.getByText('no checks').first().waitFor();
  });

  test('the system has those of the manager and its host, with the incidents of what tenants share', async () => {
    await app.call('PUT', '/api/settings/incident_failures', { body: { value: 1 } });
    await app.call('PUT', '/api/settings/min_free_disk_mb', { body: { value: 10_000_000 } });
    const ofDisk = () => app.call<{ total: number }>('GET', '/api/incidents?scope=disk');
    await until(ofDisk, ({ body }) => body.total === 1);
    await page.goto('/system/metrics');
    await page.getByRole('heading', { name: 'Manager' }).waitFor();
    await chart('Memory: Memory: last').first().waitFor();
    await page.getByRole('heading', { name: 'Host' }).waitFor();
    await page.getByText('Red areas are incidents').first().waitFor();
    expect(await page.getByText('Red areas are incidents').count()).toBe(2);
    expect(await screen(page, 'metrics-system')).toEqual([]);
  });
});
