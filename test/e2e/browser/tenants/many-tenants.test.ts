import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../../harness/app/app.ts';
import { type ManagerProcess, makeManagerProcess } from '../../../harness/app/manager-process.ts';
import { describeInBrowser, signIn, visit } from '../../../harness/browser/browser.ts';
import { until } from '../../../harness/data/tenants.ts';
import { freePort } from '../../../harness/servers/ports.ts';

describeInBrowser('many tenants in a browser', () => {
  const count = 1_000;
  let app: App;
  const ids: string[] = [];

  beforeAll(async () => {
    app = await startApp();
    const { body } = await app.call<{ id: string }>('POST', '/api/tenants', {
      body: { name: 'Club 1', slug: 'club-1', domain: 'club-1.example.org', api_domain: 'api.club-1.example.org' },
    });
    ids.push(body.id);
    // The others are copied in the store: registering a thousand, each with a check of the host's ports, would take a
    // minute.
    const store = new DatabaseSync(join(app.directory, 'data', 'tenantry.db'), { timeout: 10_000 });
    const copies = ['tenants', 'tenant_domains', 'port_allocations'].map((table) => {
      const rows = store.prepare(`SELECT * FROM ${table}`).all();
      const columns = Object.keys(rows[0] ?? {});
      const values = columns.map((name) => `:${name}`);
      const insert = store.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`);
      return { rows, columns, insert };
    });
    store.exec('BEGIN IMMEDIATE');
    for (let number = 2; number <= count; number += 1) {
      const id = randomUUID();
      const slug = `club-${number}`;
      for (const { rows, columns, insert } of copies) {
        for (const [at, row] of rows.entries()) {
          const own: Record<string, string | number> = columns.includes('slug')
            ? { id, slug, name: `Club ${number}`, search_text: slug }
            : { tenant_id: id };
          if (columns.includes('domain')) own.domain = `${String(row.role)}.${slug}.example.org`;
          if (columns.includes('port')) own.port = 42_000 + 2 * number + at;
          insert.run({ ...row, ...own });
        }
      }
      ids.push(id);
    }
    store.exec('COMMIT');
    store.close();
  });
  afterAll(async () => {
    await app?.stop();
  });

  test('lists a thousand, renders few, and receives 50 updates a second', async () => {
    const { page, complaints } = await visit(app.manager.dashboardUrl ?? '');
    await page.goto('/tenants');
    await signIn(page);
    await page.getByText(`${count.toLocaleString('en')} tenants`).waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(count + 1));
    const visible = () =>
      page
        .getByRole('row')
        .evaluateAll(
          (rows) =>
            (rows as unknown as { ariaRowIndex: string | null; getBoundingClientRect(): { bottom: number } }[]).filter(
              (row) => row.ariaRowIndex !== null && row.getBoundingClientRect().bottom <= 900,
            ).length,
        );
    await until(visible, (rows) => rows >= 18);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitemradio', { name: 'Compact' }).click();
    await until(visible, (rows) => rows >= 20);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select all shown' }).check();
    await page.getByText('1,000 selected').waitFor();

    await page.evaluate(() => {
      const long = { ms: 0 };
      (globalThis as { longTasks?: typeof long }).longTasks = long;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) long.ms += duration;
      }).observe({ entryTypes: ['longtask' as never] });
    });
    const seconds = 4;
    const statuses = ['running', 'error', 'stopped'] as const;
    for (let sent = 0; sent < seconds * 50; sent += 1) {
      const status = statuses[sent % 3] ?? 'running';
      await app.manager.app.tenants.setStatus(ids[sent] ?? '', status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await page.getByRole('button', { name: 'Not deployed 800' }).waitFor();
    const long = await page.evaluate(() => (globalThis as { longTasks?: { ms: number } }).longTasks?.ms ?? 0);
    console.log(`long tasks: ${Math.round((100 * long) / (seconds * 1000))} % of the time, with all of them selected`);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find tenants' }).pressSequentially('club 777');
    await page.getByRole('option', { name: 'Club 777' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Club 777', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('1,000 selected').waitFor();

    await page.getByRole('button', { name: 'Error 67' }).click();
    await page.getByText(`67 of ${count.toLocaleString('en')} tenants`).waitFor();
    await page.getByLabel('Search tenants').pressSequentially('club-20');
    await page.getByRole('button', { name: 'Name' }).click();
    await page.locator('[aria-sort="ascending"]').getByRole('button').click();
    await page.locator('[aria-sort="descending"]').waitFor();
    expect(page.url()).toContain('status=error');
    expect(page.url()).toContain('q=club-20');
    expect(page.url()).toContain('sort=-name');
    const shown = await page.getByRole('row').allInnerTexts();
    expect(shown.length).toBeGreaterThan(1);
    await page.reload();
    // The state after live updates equals the state after a reload.
    await page.getByText(`${shown.length - 1} of ${count.toLocaleString('en')} tenants`).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('row').allInnerTexts()).toEqual(shown);
    expect(complaints).toEqual([]);
  });
});

describeInBrowser('a manager that becomes unavailable', () => {
  let manager: ManagerProcess;
  let url = '';

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    manager = await makeManagerProcess({ RUNTIME: 'process', DASHBOARD_PORT: String(port) });
    await manager.start();
  });
  afterAll(async () => {
    await manager?.stop();
    await manager?.remove();
  });

  test('is shown and recovers automatically, without a new sign-in', async () => {
    const { page } = await visit(url);
    await page.goto('/tenants');
    await signIn(page);
    await page.getByText('Live', { exact: true }).waitFor();
    await manager.kill();
    await page.getByText('Connection lost').waitFor();
    await manager.start();
    await page.getByText('Live', { exact: true }).waitFor();
    const body = {
      name: 'Came later',
      slug: 'later',
      domain: 'later.example.org',
      api_domain: 'api.later.example.org',
    };
    await manager.call('POST', '/api/tenants', { body });
    await page.reload();
    await page.getByRole('link', { name: 'Came later' }).waitFor();
  });
});
