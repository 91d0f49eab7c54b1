import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { describeInBrowser, screen, signIn, visit } from '../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { until } from '../../harness/data/tenants.ts';
import { freePort } from '../../harness/servers/ports.ts';

/** The numbers in the log, in the order in which the page shows them. */
async function ticksOf(page: Page): Promise<number[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  return [...text.matchAll(/tick (\d+)$/gm)].map(([, number]) => Number(number));
}

describeInBrowser('a lost connection', () => {
  let manager: ManagerProcess;
  let page: Page;
  let complaints: string[];
  let tenantId = '';
  let logs = '';
  let loads = 0;
  const deploymentPage = '**/deployment-page-*.js';

  beforeAll(async () => {
    const port = await freePort();
    manager = await makeManagerProcess({ RUNTIME: 'process', DASHBOARD_PORT: String(port) });
    const repository = await makeFixtureRepository(join(manager.directory, 'repository'));
    await repository.release('v1.2.0', {
      'tenant.yaml': repository.manifest.replace('node server.js api', 'node --require ./tick.js server.js api'),
      'tick.js': "let ticks = 0; setInterval(() => console.log('tick ' + ++ticks), 50);\n",
    });
    await manager.start();
    const fields = {
      name: 'Ticking',
      slug: 'ticking',
      domain: 'ticking.example.org',
      api_domain: 'api.ticking.example.org',
      git_repo: repository.path,
    };
    tenantId = (await manager.call<{ id: string }>('POST', '/api/tenants', { body: fields })).body.id;
    await manager.call('POST', `/api/tenants/${tenantId}/deploy`, { body: {} });
    logs = `/tenants/${tenantId}/logs`;
    const opened = await visit(`http://127.0.0.1:${port}`);
    page = opened.page;
    complaints = opened.complaints;
    page.on('load', () => loads++);
  });
  afterAll(async () => {
    // Its units outlive it.
    if (tenantId) await manager.call('DELETE', `/api/tenants/${tenantId}?remove_files=true`).catch(() => undefined);
    await manager?.stop();
    await manager?.remove();
  });

  const lastTick = async (): Promise<number> => {
    const { body } = await manager.call<{ logs?: string }>('GET', `/api${logs}?service=backend&lines=1`);
    return Number(/tick (\d+)/.exec(body.logs ?? '')?.[1] ?? 0);
  };

  test('is shown and restored automatically, and no line of a running log is lost or repeated', async () => {
    await until(lastTick, (tick) => tick > 0);
    // As if the manager stopped before this page was loaded.
    await page.route(deploymentPage, (route) => route.abort('connectionrefused'));
    await page.goto(logs);
    await signIn(page);
    await page.getByText('Live', { exact: true }).waitFor();
    await page
      .getByText(/tick \d+$/)
      .first()
      .waitFor();

    await manager.kill();
    await page.getByRole('status').getByText('Connection lost').waitFor();
    await page.unroute(deploymentPage);
    expect(await screen(page, 'connection-lost')).toEqual([]);
    // The tenant's own processes continue to write while the connection is down.
    await sleep(1_500);
    await manager.start();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('Connection lost').count()).toBe(0);

    const wanted = await lastTick();
    // Not by downloads: Chromium allows ten in a row.
    const newest = page.getByText(/tick \d+$/).last();
    await until(
      async () => Number(/tick (\d+)$/.exec(await newest.innerText())?.[1]),
      (tick) => tick >= wanted,
    );
    const ticks = await ticksOf(page);
    const first = ticks[0] ?? 0;
    expect(ticks).toEqual(ticks.map((_, at) => first + at));
    expect(ticks.length).toBeGreaterThan(40);
    expect(await page.getByText('lines may be missing').count()).toBe(0);
  });

  test('keeps the page in place, and updates it', async () => {
    expect(new URL(page.url()).pathname).toBe(logs);
    // Another user stops it: the page updates without a reload.
    await manager.call('POST', `/api/tenants/${tenantId}/stop`);
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'The tenant is stopped' }).waitFor();
  });

  test('loads the usual pages that could not be loaded before, without a reload', async () => {
    await page.waitForFunction(
      (part) =>
        performance
          .getEntriesByType('resource')
          .some((entry) => entry.name.includes(part) && 'responseStatus' in entry && entry.responseStatus === 200),
      '/deployment-page-',
    );
    expect(loads).toBe(1);
  });

  test('a longer outage: failed requests are shown and retried automatically', async () => {
    await manager.stop();
    await page.getByRole('status').getByText('Connection lost').waitFor();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByRole('row').getByRole('link').first().click();
    await page.getByText('The manager can’t be reached').first().waitFor();
    // A dialog whose script is not loaded yet.
    await page.keyboard.press('?');
    await page.getByText('Something went wrong').first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await manager.start();
    await page.getByRole('heading', { name: 'Steps' }).waitFor();
    expect(await page.getByText('The manager can’t be reached').count()).toBe(0);
  });

  test('a page first opened during an outage loads when the manager is back', async () => {
    await manager.stop();
    await page.getByRole('status').getByText('Connection lost').waitFor();
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('heading', { name: 'This page can’t be shown' }).waitFor();
    expect(await screen(page, 'connection-lost-page')).toEqual([]);
    await manager.start();
    await page.getByRole('heading', { name: 'All systems normal' }).waitFor();
  });

  test('causes no browser errors but the lost connection', () => {
    expect(
      complaints.filter(
        (complaint) => !/WebSocket connection|ERR_CONNECTION|dynamically imported module/.test(complaint),
      ),
    ).toEqual([]);
  });
});
