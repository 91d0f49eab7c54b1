import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';

/** Prints what it is asked to. */
const server = `
const http = require('node:http');
http.createServer((request, response) => {
  const url = new URL(request.url, 'http://unit');
  if (url.pathname === '/say') return process.stdout.write(url.searchParams.get('text') + '\\n', () => response.end());
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'healthy' }));
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log(process.argv[2] + ' listens'));
process.on('SIGTERM', () => process.exit(0));
`;

describeInBrowser('kept logs, by a browser', () => {
  let app: App;
  let page: Page;
  let complaints: string[];
  let tenant: TenantAnswer;

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await repository.release('v7.0.0', { 'server.js': server });
    await repository.release('v7.1.0', { 'notes.txt': 'a change' });
    tenant = await makeTenant(app, repository.path);
    await deploy(app, tenant.id, { target_version: 'v7.0.0' });
    for (const text of ['saving 3 people', 'TypeError: <b>name</b> is undefined', '    at save (people.js:12)'])
      await fetch(`http://127.0.0.1:${tenant.backend_port}/say?text=${encodeURIComponent(text)}`);
    expect(await deploy(app, tenant.id, { target_version: 'v7.1.0' })).toMatchObject({ status: 'success' });
    ({ page, complaints } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto(`/tenants/${tenant.id}/logs`);
    await signIn(page);
  });
  afterAll(async () => {
    await app?.stop();
  });

  const found = () => page.getByRole('region', { name: 'Lines found' });
  const open = (query = '') => page.goto(`/tenants/${tenant.id}/logs?view=kept${query}`);

  test('a search finds lines of an earlier generation, with the lines around them', async () => {
    await choose(page.getByLabel('Which logs'), 'Kept logs');
    await found().getByText('api listens').first().waitFor();
    await page.getByLabel('Search kept logs').fill('typeerror: <b>NAME');
    await page.getByText('1 line', { exact: true }).waitFor();
    await found().getByText('TypeError: <b>name</b> is undefined').waitFor();
    await found().getByText('saving 3 people').waitFor();
    await found().getByText('at save (people.js:12)').waitFor();
    expect(await found().locator('mark').innerText()).toBe('TypeError: <b>name');
    expect(await screen(page, 'kept-logs')).toEqual([]);
  });

  test('level, service and generation narrow it down; the address keeps them', async () => {
    await open();
    await choose(page.getByLabel('Level'), 'Errors');
    await page.getByText('1 line', { exact: true }).waitFor();
    await choose(page.getByLabel('Service'), 'Site');
    await page.getByText('No matching lines').waitFor();
    await page.reload();
    await page.getByText('No matching lines').waitFor();

    await open();
    await page.getByLabel('Generation').click();
    await page.getByRole('option', { name: /^API [0-9a-f]{7}, since / }).click();
    await page.getByText('Runs.').waitFor();
    await page.getByText('1 line', { exact: true }).waitFor();
    await found().getByText('api listens').waitFor();
  });

  test('a range of time narrows it down, and lines are wrapped or not', async () => {
    await open('&minutes=between');
    await found().getByText('api listens').first().waitFor();
    await page.getByLabel('From').fill('2001-01-01T00:00');
    await page.getByLabel('To', { exact: true }).fill('2001-01-02T00:00');
    await page.getByText('No matching lines').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2199-01-01T00:00');
    await found().getByText('api listens').first().waitFor();
    await page.reload();
    await found().getByText('api listens').first().waitFor();
    expect(await screen(page, 'kept-logs-range')).toEqual([]);

    const wrapping = () =>
      found()
        .getByText('api listens')
        .first()
        .evaluate(
          (line) =>
            (globalThis as unknown as { getComputedStyle(of: unknown): { whiteSpace: string } }).getComputedStyle(line)
              .whiteSpace,
        );
    await expect(wrapping()).resolves.toBe('pre');
    await page.getByLabel('Wrap lines').check();
    await expect(wrapping()).resolves.toBe('pre-wrap');
    await page.reload();
    await expect(wrapping()).resolves.toBe('pre-wrap');
    // The live log of the same range is shown as a whole.
    await choose(page.getByLabel('Which logs'), 'Live logs');
    await page.getByText('api listens').first().waitFor();
    await expect(page.getByLabel('Wrap lines').isChecked()).resolves.toBe(true);
    await page.getByLabel('Wrap lines').uncheck();
  });

  test('a hit links to its place among the lines around it', async () => {
    await open('&search=is+undefined');
    await found().getByText('TypeError').waitFor();
    await found().locator('[data-level=error]').getByRole('link').click();
    await page.waitForURL(/kept=api/);
    const linked = page.locator('[aria-current=true]');
    expect(await linked.innerText()).toContain('TypeError: <b>name</b> is undefined');
    await page.reload();
    await linked.waitFor();
    expect(await screen(page, 'kept-logs-line')).toEqual([]);
    await page.getByRole('button', { name: 'Back to the search' }).click();
    await page.getByText('1 line', { exact: true }).waitFor();
    await open('&kept=api.none.1.1');
    await page.getByText('The linked line is not kept any more.').waitFor();
  });

  test('the browser reported no errors', () => {
    // The line that is not kept.
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
  });
});
