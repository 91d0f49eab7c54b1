import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { openBrowser, screen, signIn, visit } from '../../harness/browser/browser.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';

jest.setTimeout(15 * 60_000);

describeWithSwarm('the page of the nodes', (cluster) => {
  let directory: string;
  let server: MariaDb;
  let app: App;
  let browser: Browser;
  let page: Page;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-nodes-page-'));
    server = await startMariaDb(cluster().host);
    app = await startApp({
      directory,
      environment: {
        RUNTIME: 'swarm',
        DOCKER_HOST: cluster().engines.join(','),
        SWARM_STORAGE: cluster().storage,
        SWARM_REGISTRY: cluster().registry,
        SWARM_PROBE_IMAGE: 'node:24-bookworm-slim',
        TENANT_DATABASE_URL: server.adminUrl,
      },
      healthTimeoutMs: 120_000,
    });
    tenant = await makeTenant(app, (await makeContactsRepository(join(directory, 'contacts'))).path);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    browser = await openBrowser();
    page = (await visit(browser, app.manager.dashboardUrl ?? '')).page;
    await page.goto('/system/nodes');
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const row = (node: string) => page.getByRole('row').filter({ hasText: node });

  test('shows the nodes, and drains and activates one', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Nodes' }).first().waitFor();
    const busy = row(tenant.slug).first();
    const name = /^node\d/.exec((await busy.getByRole('cell').first().textContent()) ?? '')?.[0] ?? '';
    expect(await screen(page, 'system-nodes')).toEqual([]);

    await busy.getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('dialog').getByText(tenant.slug).waitFor();
    expect(await screen(page, 'system-nodes-drain')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await row(name).getByText('Drained').waitFor({ timeout: 120_000 });

    await row(name).getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await row(name).getByText('Ready').waitFor();
  });

  test('a tenant’s page names its node', async () => {
    await page.goto(`/tenants/${tenant.id}`);
    await page.getByRole('link', { name: /^node\d(, node\d)?$/ }).click();
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
  });
});
