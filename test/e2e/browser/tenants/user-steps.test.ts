import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { spaceOf } from '../../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { noteApplication } from '../../../harness/data/note-application.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer } from '../../../harness/data/tenants.ts';

describeInBrowser('the steps of a user, by a browser', () => {
  let app: App;
  let page: Page;
  let tenant: TenantAnswer;
  let broken: string;
  let card: Locator;

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await repository.release('v2.0.0', noteApplication(repository));
    await repository.release('v2.1.0', noteApplication(repository, { broken: 'always' }));
    tenant = await makeTenant(app, repository.path, { name: 'Bright Harbor Alliance' });
    await setEnvironment(app, tenant.id, { CHECK_PASSWORD: 'tulip-marmalade-77' });
    expect((await deploy(app, tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
    const { runtime, tenants } = app.manager.app;
    broken = join(runtime.paths(spaceOf(await tenants.get(tenant.id))).importDirectory, 'broken');
    ({ page } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto(`/tenants/${tenant.id}`);
    await signIn(page);
    card = page.locator('section', { has: page.getByRole('heading', { name: 'User steps' }) });
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const step = (name: string): Locator => card.getByRole('listitem').filter({ hasText: name });

  test('are listed with their last results and durations', async () => {
    await card.getByRole('heading', { name: 'Find a person' }).waitFor();
    await step('Sign in').getByText('Passed').waitFor();
    expect(await step('Sign in').textContent()).toMatch(/POST \/api\/login\d+ msPassed/);
    await step('Remove the note').getByText('(cleanup)').waitFor();
    await card.getByText('every 5 minutes · part of each deployment').waitFor();
    expect(await screen(page, 'user-steps-passed')).toEqual([]);
  });

  test('show the failed step with its reason here, in the health checks and as the headline', async () => {
    await writeFile(broken, '');
    await card.getByRole('button', { name: 'Run now' }).click();
    await step('Search').getByText('Failed').waitFor();
    await step('Search').getByText('answered 500 instead of 2xx: no such table: people ••••').waitFor();
    await step('Save a note').getByText('Skipped').waitFor();
    await page.getByRole('heading', { name: 'The application answers, but “Find a person” fails' }).waitFor();
    const health = page.locator('section', { has: page.getByRole('heading', { name: 'Health', exact: true }) });
    await health
      .getByText(/Check “Find a person”, step “Search”: answered 500/)
      .first()
      .waitFor();
    expect(await screen(page, 'user-steps-failed')).toEqual([]);
    if (process.env.SCREENSHOTS) await card.screenshot({ path: join(process.env.SCREENSHOTS, 'user-steps-card.png') });
    await rm(broken);
    await card.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('heading', { name: 'Everything works' }).waitFor();
  });

  test('name the failed step on the page of a failed deployment', async () => {
    const { id, status } = await deploy(app, tenant.id, { target_version: 'v2.1.0' });
    expect(status).toBe('failed');
    await page.goto(`/tenants/${tenant.id}/deployments/${id}`);
    await page
      .getByText(/Check “Find a person”, step “Search”: answered 500/)
      .first()
      .waitFor();
    await page
      .getByText(/Sign in: passed \(200, \d+ ms\); Search: failed \(500/)
      .first()
      .waitFor();
    expect(await screen(page, 'user-steps-deployment')).toEqual([]);
  });
});
