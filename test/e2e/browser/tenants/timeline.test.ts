import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { checkApart } from '../../../api/incidents/incident-answers.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer } from '../../../harness/data/tenants.ts';

describeInBrowser('Timeline', () => {
  let app: App;
  let visited: Visit;
  let page: Page;
  let tenant: TenantAnswer;
  let failing: string;

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name: 'Bright Harbor Alliance' });
    await deploy(app, tenant.id);
    await setEnvironment(app, tenant.id, { GREETING: 'hello' });
    // More than a page.
    for (let count = 0; count < 60; count += 1)
      await app.call('PUT', '/api/settings/incident_reminder_minutes', { body: { value: 60 + count } });
    const environment = await (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json();
    failing = join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing');
    visited = await visit(app.manager.dashboardUrl ?? '');
    ({ page } = visited);
    await page.goto('/');
    await signIn(page);
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const entries = () => page.getByRole('main').getByRole('listitem');
  const filters = () => page.getByRole('group', { name: 'Filter by kind' });

  test('shows what changed at all tenants, page by page', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
    await entries().first().waitFor();
    expect(await entries().count()).toBe(50);
    await page.getByRole('button', { name: 'Load older entries' }).click();
    await entries()
      .filter({ hasText: `Tenant ${tenant.slug} created by admin` })
      .waitFor();
    await page.getByRole('button', { name: 'Load older entries' }).waitFor({ state: 'detached' });
    expect(await screen(page, 'timeline')).toEqual([]);
  });

  test('is filtered by kinds, which the address keeps', async () => {
    await filters().getByRole('button', { name: 'Deployments' }).click();
    await filters().getByRole('button', { name: 'Configuration' }).click();
    await entries().filter({ hasText: 'Setting incident_reminder_minutes' }).first().waitFor({ state: 'detached' });
    await page.reload();
    await entries().filter({ hasText: 'succeeded' }).waitFor();
    expect(await entries().count()).toBe(2);
    await filters().getByRole('button', { name: 'All' }).click();
    await entries().filter({ hasText: 'Setting incident_reminder_minutes' }).first().waitFor();
  });

  test('of a tenant links to what an entry is about', async () => {
    await page.goto(`/tenants/${tenant.id}`);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Timeline' }).click();
    await entries().filter({ hasText: 'Deployment to' }).waitFor();
    expect(await entries().filter({ hasText: 'Setting' }).count()).toBe(0);
    expect(await screen(page, 'timeline-tenant')).toEqual([]);
    await entries()
      .getByRole('link', { name: /^Deployment to .* succeeded$/ })
      .click();
    await page.waitForURL(/\/deployments\/[\w-]+$/);
    await page.goBack();
    await entries()
      .getByRole('link', { name: /^Configuration of / })
      .click();
    await page.waitForURL(/\/configuration$/);
  });

  test('shows what changed in the hour before an incident, from its page and from the tenant’s headline', async () => {
    await writeFile(failing, '');
    await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
    await page.goto('/incidents');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('link', { name: 'What changed in the hour before?' }).click();
    await page.getByText(/^What changed in the hour before \d+ \w+ \d{4}/).waitFor();
    await entries().filter({ hasText: 'healthy → unhealthy' }).waitFor();
    await entries().filter({ hasText: 'Configuration of' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/tenants/${tenant.id}/timeline`);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await screen(page, 'timeline-hour-phone')).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: 'Show the whole timeline' }).click();
    await page.getByText(/^What changed in the hour before/).waitFor({ state: 'detached' });

    await page.goto(`/tenants/${tenant.id}`);
    await page.getByRole('alert').getByRole('link', { name: 'What changed in the hour before?' }).click();
    await page.getByRole('link', { name: 'Show the timeline of all tenants' }).click();
    await page.waitForURL(/\/timeline\?before=/);
    await entries().filter({ hasText: 'Setting incident_reminder_minutes' }).first().waitFor();
    await rm(failing);
  });

  test('says that nothing matches', async () => {
    await page.goto('/timeline?kinds=disk');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    expect(visited.complaints).toEqual([]);
  });
});
