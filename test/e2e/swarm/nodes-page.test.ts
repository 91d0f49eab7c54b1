import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { screen, signIn, visit } from '../../harness/browser/browser.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { timelineOfFleet } from '../../harness/data/timeline.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';
import { SwarmApp } from '../../harness/swarm/swarm-app.ts';

interface NodeAnswer {
  hostname: string;
  warnings: string[];
}

describeWithSwarm('the page of the nodes', (cluster) => {
  let swarm: SwarmApp;
  let page: Page;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    swarm = await SwarmApp.create(cluster());
    tenant = await makeTenant(swarm.app, swarm.repository);
    expect(await deploy(swarm.app, tenant.id)).toMatchObject({ status: 'success', error: null });
    page = (await visit(swarm.app.manager.dashboardUrl ?? '')).page;
    await page.goto('/system/nodes');
    await signIn(page);
  });
  afterAll(async () => {
    await swarm?.destroy();
  });

  const row = (node: string) => page.getByRole('row').filter({ hasText: node });

  test('shows the nodes, and drains and activates one', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Nodes' }).first().waitFor();
    const busy = row(tenant.slug).first();
    const name = /^node\d/.exec((await busy.getByRole('cell').first().textContent()) ?? '')?.[0] ?? '';
    expect(await screen(page, 'system-nodes')).toEqual([]);
    await row(name).getByText('reserved').waitFor();

    await busy.getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('dialog').getByText(tenant.slug).waitFor();
    await page
      .getByRole('dialog')
      .getByText(/^The other nodes have room: \S+ [MG]B of memory needed, \S+ [MG]B not reserved\.$/)
      .waitFor();
    expect(await screen(page, 'system-nodes-drain')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await row(name).getByText('Drained').waitFor({ timeout: 120_000 });

    await row(name).getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await row(name).getByText('Ready').waitFor();
    expect((await timelineOfFleet(swarm.app, 'node')).map(({ title, user }) => [title, user])).toEqual([
      [`admin activated the node ${name}`, 'admin'],
      [`admin drained the node ${name}`, 'admin'],
    ]);
  });

  test('shows the warnings about a node with the node', async () => {
    const { nodes } = (await swarm.app.call<{ nodes: NodeAnswer[] }>('GET', '/api/system/nodes')).body;
    expect(nodes.flatMap(({ warnings }) => warnings)).not.toEqual([]);
    await page.reload();
    for (const { hostname, warnings } of nodes)
      for (const warning of warnings)
        await row(hostname)
          .getByRole('list', { name: `Warnings about ${hostname}` })
          .getByText(warning)
          .waitFor();
  });

  test('the check of the host asks for a base image', async () => {
    await page.goto('/system/check');
    await page.getByLabel('Base image').waitFor();
  });

  test('a tenant’s page names its node', async () => {
    await page.goto(`/tenants/${tenant.id}`);
    await page.getByRole('link', { name: /^node\d(, node\d)?$/ }).click();
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
  });
});
