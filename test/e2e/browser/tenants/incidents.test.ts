import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkApart } from '../../../api/incidents/incident-answers.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';

describeInBrowser('Incidents', () => {
  let app: App;
  let visited: Visit;
  let tenant: TenantAnswer;
  let failing: string;
  let hanging: string;

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name: 'Bright Harbor Alliance' });
    await deploy(app, tenant.id);
    const environment = await (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json();
    const { IMPORT_DIR: uploads } = environment as { IMPORT_DIR: string };
    [failing, hanging] = [join(uploads, 'failing'), join(uploads, 'hanging')];
    visited = await visit(app.manager.dashboardUrl ?? '');
    await visited.page.goto('/');
    await signIn(visited.page);
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const checkTwice = async () => {
    for (let count = 0; count < 2; count += 1) await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
  };

  test('the page of incidents says that there are none', async () => {
    const { page } = visited;
    await page.getByRole('link', { name: 'Incidents' }).click();
    await page.getByText('No open incidents.').waitFor();
    expect(await screen(page, 'incidents-none')).toEqual([]);
  });

  test('an open one appears at once: in the list, the navigation, on Home and at its tenant', async () => {
    const { page } = visited;
    await writeFile(failing, '');
    await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
    await page.getByRole('table').getByRole('link', { name: 'The API says that it is not healthy' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByText('1 incident open').waitFor({ state: 'attached' });
    expect(await screen(page, 'incidents')).toEqual([]);
    await page.getByRole('link', { name: 'Home' }).click();
    const items = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await items.filter({ hasText: 'View incident' }).waitFor();
    expect(await items.allInnerTexts()).toEqual([expect.stringMatching(/^Bright Harbor Alliance\s*Unhealthy/)]);
    expect(await screen(page, 'home-incident')).toEqual([]);
    await items.getByRole('link', { name: 'Bright Harbor Alliance' }).click();
    await page.getByRole('heading', { level: 1, name: 'The API says that it is not healthy' }).waitFor();
    await page.getByRole('link', { name: 'Bright Harbor Alliance' }).click();
    await page.getByText('This tenant has an open incident').waitFor();
    await page.getByRole('link', { name: 'View incident' }).click();
    await page.getByRole('heading', { level: 1, name: 'The API says that it is not healthy' }).waitFor();
  });

  test('is acknowledged, takes a note, is exported, and resolves while the page is open', async () => {
    const { page } = visited;
    await page.getByText('Notification sent').waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Acknowledged. No more reminders are sent.').waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Note' }).fill('The list import filled the disk');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('listitem').filter({ hasText: 'The list import filled the disk' }).waitFor();
    expect(await screen(page, 'incident')).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await screen(page, 'incident-phone')).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await (await downloading).path();
    expect(await readFile(file, 'utf8')).toContain('Note by admin: The list import filled the disk');
    await rm(failing);
    await checkTwice();
    await page.getByText('Recovered after').waitFor();
    await page.getByText('Tenant recovered').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByText('1 incident open').waitFor({ state: 'detached' });
  });

  test('is an area in the charts of its tenant, which says at the pointer what it was', async () => {
    const { page } = visited;
    await page.goto(`/tenants/${tenant.id}/metrics?range=1h`);
    const over = page.locator('figure', { hasText: 'Availability' }).locator('.u-over');
    const { width = 0 } = (await over.boundingBox()) ?? {};
    let shown = '';
    for (let x = width - 1; x > width / 2 && shown === ''; x -= 2) {
      await over.hover({ position: { x, y: 40 } });
      shown = (await over.getAttribute('title')) ?? '';
    }
    expect(shown).toMatch(/^The API says that it is not healthy: \d.* – \d/);
    expect(await screen(page, 'metrics-incident')).toEqual([]);
  });

  test('offers the remedy of a single tenant, which ends it', async () => {
    const { page } = visited;
    await writeFile(hanging, '');
    await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
    await page.getByRole('link', { name: 'Incidents' }).first().click();
    await page.getByRole('link', { name: 'The API runs but does not answer' }).click();
    await page.getByRole('button', { name: 'Restart…' }).click();
    expect(await screen(page, 'incident-remedy')).toEqual([]);
    await rm(hanging);
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
    await page.getByText('Recovered after').waitFor();
    await page.getByRole('button', { name: 'Restart…' }).waitFor({ state: 'detached' });
  });

  test('a maintenance window is added, changed and deleted', async () => {
    const { page } = visited;
    await page.goto('/system/maintenance');
    await page.getByRole('button', { name: 'Add a window…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('New disk');
    await page.getByRole('checkbox', { name: 'Repeat each week at the same time' }).check();
    await page.getByRole('button', { name: 'Add window' }).click();
    await page.getByRole('row').filter({ hasText: 'New disk' }).getByText('Weekly').waitFor();
    await page.getByText('Maintenance window added.').waitFor();
    expect(await screen(page, 'maintenance')).toEqual([]);
    await page.getByRole('button', { name: 'Edit the window: New disk' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Two new disks');
    await page.getByRole('checkbox', { name: 'Repeat each week at the same time' }).uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Maintenance window changed.').waitFor();
    await page.getByRole('row').filter({ hasText: 'Two new disks' }).getByText('Once').waitFor();
    await page.getByRole('button', { name: 'Delete the window: Two new disks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No maintenance windows').waitFor();
  });
});
