import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type App, startApp } from '../../harness/app/app.ts';
import {
  choose,
  confirm,
  describeInBrowser,
  dialogClosed,
  screen,
  signIn,
  visit,
} from '../../harness/browser/browser.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant, requestedPorts, setEnvironment } from '../../harness/data/tenants.ts';

describeInBrowser('deploying, by a browser', () => {
  let app: App;
  let page: Page;
  let complaints: string[];
  let repository: FixtureRepository;

  beforeAll(async () => {
    app = await startApp({ environment: { DASHBOARD_PORT: '0' }, healthTimeoutMs: 20_000 });
    repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await promisify(execFile)('git', ['-C', repository.path, 'branch', 'new-form', 'v1.0.0']);
    // The newest tag is broken: it must not block any tenant.
    await repository.release('v1.2.0', {
      'install.js': "console.error('npm error code ERESOLVE'); process.exit(1);\n",
    });
    ({ page, complaints } = await visit(app.manager.dashboardUrl ?? ''));
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    for (const { id } of (await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants')).body.tenants)
      await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const badges = (): Locator => page.locator('div:has(> h1) + div');
  const actions = async (name: string, entry: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };

  test('shows the cause for a broken newest version as the headline; another one can be chosen', async () => {
    const tenant = await makeTenant(app, repository.path, { name: 'Ashford' });
    await page.goto(`/tenants/${tenant.id}/upgrade`);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('dialog').getByText('Latest release (v1.2.0)').waitFor({ state: 'attached' });
    expect(await screen(page, 'deploy-dialog')).toEqual([]);
    await confirm(page, 'Deploy');
    const alert = page.getByRole('alert');
    await alert.getByText('npm cannot resolve the dependencies: two packages need different versions').waitFor();
    await alert.getByText('Failed at “Install dependencies”').waitFor();
    // The log has a separate line for it.
    const found = page.getByText('two packages need different versions');
    const log = page.getByRole('region', { name: 'Log', exact: true });
    const inLog = log.getByText('two packages need different versions');
    await inLog.waitFor();
    expect([await found.count(), await inLog.count()]).toEqual([2, 1]);
    expect(await screen(page, 'deployment-failed')).toEqual([]);

    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await choose(page.getByLabel('What to deploy'), 'Another version');
    await choose(page.getByLabel('Version', { exact: true }), 'v1.1.0');
    await page.getByRole('dialog').getByText('Release v1.1.0').waitFor();
    expect(await screen(page, 'deploy-dialog-version')).toEqual([]);
    await confirm(page, 'Deploy');
    await page.getByText('v1.1.0 is live').waitFor();
    await badges().getByText('Running').waitFor();
    await badges()
      .getByText(/v1\.1\.0 “Release v1\.1\.0” by ./)
      .waitFor();
    const site = page.getByRole('link', { name: 'Open the site' });
    expect(await site.getAttribute('href')).toMatch(new RegExp(`:${tenant.frontend_port}/$`));
    expect(await screen(page, 'deployment-live')).toEqual([]);
  });

  test('a branch and a commit can be chosen, and the dialog reports an invalid commit', async () => {
    const tenant = await makeTenant(app, repository.path, { name: 'Bridgeport' });
    await page.goto(`/tenants/${tenant.id}`);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await choose(page.getByLabel('What to deploy'), 'A commit');
    await page.getByLabel('Commit', { exact: true }).fill('deadbeef');
    await confirm(page, 'Deploy');
    await page.getByRole('dialog').getByText('The repository has no branch or commit deadbeef').waitFor();
    await choose(page.getByLabel('What to deploy'), 'A branch');
    await choose(page.getByLabel('Branch', { exact: true }), 'new-form');
    await confirm(page, 'Deploy');
    await page.getByText('new-form is live').waitFor();
    const { body } = await app.call('GET', `/api/tenants/${tenant.id}/version`);
    expect(body).toMatchObject({ deployed_ref: 'new-form', deployed_commit: repository.commits['v1.0.0'] });
  });

  test('cancelling asks first; a cancelled deployment has not failed, and the header shows the work', async () => {
    const tenant = await makeTenant(app, repository.path, { name: 'Carlton' });
    await setEnvironment(app, tenant.id, { MIGRATION: 'slow' });
    await page.goto(`/tenants/${tenant.id}`);
    await badges().getByText('Not deployed').waitFor();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await choose(page.getByLabel('What to deploy'), 'Another version');
    await choose(page.getByLabel('Version', { exact: true }), 'v1.1.0');
    await confirm(page, 'Deploy');
    await badges().getByText('Deploying').waitFor();
    expect(await badges().getByText('Not deployed').count()).toBe(0);
    await page.getByText('migrating first').waitFor();
    await page.getByRole('button', { name: 'Cancel operation…' }).click();
    expect(await screen(page, 'cancel-dialog')).toEqual([]);
    await confirm(page, 'Keep running');
    await dialogClosed(page);
    await page.getByRole('button', { name: 'Cancel operation…' }).click();
    await confirm(page, 'Cancel operation');
    await page.getByText('All changes were undone. You can deploy again.').waitFor();
    await badges().getByText('Not deployed').waitFor();
    expect(await page.getByText('Failed').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await screen(page, 'deployment-cancelled')).toEqual([]);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Ready to deploy' }).waitFor();
    expect(await page.getByText('Failed at').count()).toBe(0);
  });

  test('stop, restart and redeploy ask first, and the first entry of the menu is harmless', async () => {
    const tenant = await makeTenant(app, repository.path, { name: 'Dunmore' });
    expect((await deploy(app, tenant.id, { target_version: 'v1.1.0' })).status).toBe('success');
    await page.goto(`/tenants/${tenant.id}`);
    await badges().getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Actions for Dunmore' }).click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Restart',
      'Redeploy v1.1.0',
      'Edit…',
      'Stop',
      'Delete…',
    ]);
    await page.getByRole('menuitem', { name: 'Stop', exact: true }).click();
    expect(await screen(page, 'stop-dialog')).toEqual([]);
    await confirm(page, 'Cancel');
    await dialogClosed(page);
    expect((await getTenant(app, tenant.id)).status).toBe('running');

    await actions('Dunmore', 'Restart');
    await confirm(page, 'Restart');
    await page.getByText('Dunmore was restarted.').waitFor();
    await actions('Dunmore', 'Redeploy v1.1.0');
    await page.getByRole('dialog', { name: 'Redeploy Dunmore?' }).waitFor();
    await page.getByText('The same commit and the same variables as now.').waitFor();
    await confirm(page, 'Redeploy');
    await page.getByText('v1.1.0 is live').waitFor();
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Overview' }).click();
    const danger = page.getByRole('region', { name: 'Danger zone' });
    await danger.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete Dunmore?' }).waitFor();
    await confirm(page, 'Cancel');
    await dialogClosed(page);
    await danger.getByRole('button', { name: 'Stop…' }).click();
    await confirm(page, 'Stop');
    await badges().getByText('Stopped').waitFor();
    expect(await danger.getByRole('button').allInnerTexts()).toEqual(['Delete…']);
    expect(await screen(page, 'danger-zone')).toEqual([]);
  });

  test('shows what a redeployment changes; leads back from each deployment to its version', async () => {
    const tenant = await makeTenant(app, repository.path, { name: 'Elmira' });
    const commit = repository.commits['v1.0.0'] ?? '';
    expect((await deploy(app, tenant.id, { target_ref: commit })).status).toBe('success');
    expect((await deploy(app, tenant.id, { target_version: 'v1.0.0' })).status).toBe('success');
    expect((await deploy(app, tenant.id, { target_version: 'v1.1.0' })).status).toBe('success');
    await setEnvironment(app, tenant.id, { SMTP_HOST: 'mail.example.org' });
    await page.goto(`/tenants/${tenant.id}/deployments`);
    await page.getByRole('button', { name: 'Deploy…' }).click();
    const changes = page.getByRole('region', { name: 'What will change' });
    await changes.getByText('New variables: SMTP_HOST').waitFor();
    await choose(page.getByLabel('What to deploy'), 'A commit');
    await page.getByLabel('Commit', { exact: true }).fill(commit);
    await changes.getByText('1 commit is taken back').waitFor();
    expect(await screen(page, 'deploy-changes')).toEqual([]);
    await choose(page.getByLabel('What to deploy'), 'Another version');
    await choose(page.getByLabel('Version', { exact: true }), 'v1.0.0');
    await changes.getByText('1 commit is taken back').waitFor();
    await confirm(page, 'Continue to the upgrade');
    await page.getByRole('dialog', { name: 'Downgrade to v1.0.0?' }).waitFor();
    await changes.getByText('New variables: SMTP_HOST').waitFor();
    expect(await screen(page, 'rollback-changes')).toEqual([]);
    await confirm(page, 'Cancel');
    await dialogClosed(page);
    await page.goto(`/tenants/${tenant.id}/deployments`);

    expect(await page.getByRole('link', { name: 'Upgrade to v1.1.0…' }).count()).toBe(0);
    await page.getByRole('button', { name: `Deploy ${commit.slice(0, 7)} again…` }).click();
    expect(await page.getByLabel('Commit', { exact: true }).inputValue()).toBe(commit);
    await confirm(page, 'Cancel');
    await dialogClosed(page);
    expect(await screen(page, 'deployments-back')).toEqual([]);
    await page.getByRole('link', { name: 'Deployment', exact: true }).nth(1).click();
    await page.getByRole('heading', { name: 'Deployment v1.0.0' }).waitFor();
    await page.getByRole('link', { name: 'Roll back to v1.0.0…' }).click();
    await page.getByRole('dialog', { name: /v1\.0\.0/ }).waitFor();
    await page.getByLabel(/short name|Type/).fill(tenant.slug);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /v1\.0\.0/ })
      .click();
    await page.getByText('Upgraded to v1.0.0, health check passed').waitFor();
    expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'running' });
  });

  test('names the process that uses a port', async () => {
    const tenant = await makeTenant(app, repository.path, { name: 'Easton', ...(await requestedPorts(app)) });
    const other = createServer((_request, response) => response.writeHead(404).end());
    other.listen(tenant.frontend_port, '127.0.0.1');
    await once(other, 'listening');
    const { id } = await deploy(app, tenant.id, { target_version: 'v1.1.0' });
    other.close();
    await page.goto(`/tenants/${tenant.id}/deployments/${id}`);
    const alert = page.getByRole('alert');
    await alert.getByText(`Port ${tenant.frontend_port} of the site is in use by process`).waitFor();
    await alert.getByRole('heading', { name: 'Evidence' }).waitFor();
    await alert.getByText(`The log: Port ${tenant.frontend_port} is in use`).waitFor();
    expect(await screen(page, 'deployment-port')).toEqual([]);
  });

  test('reports a missing repository in plain words, not in git’s', async () => {
    const tenant = await makeTenant(app, join(app.directory, 'no-such-repository'), { name: 'Fairview' });
    const { id } = await deploy(app, tenant.id);
    await page.goto(`/tenants/${tenant.id}/deployments/${id}`);
    await page.getByRole('alert').getByText('The repository does not exist, or may not be read').waitFor();
    expect(await page.locator('main').getByText('fatal:').allInnerTexts()).toEqual([]);
    expect(await screen(page, 'deployment-no-repository')).toEqual([]);
  });

  test('the browser reported no errors', () => {
    expect(complaints).toEqual([]);
  });
});
