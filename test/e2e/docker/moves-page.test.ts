import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import type { Page } from 'playwright-core';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { confirm, describeInBrowser, screen, signIn, visit } from '../../harness/browser/browser.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithEngine, removeImage } from '../../harness/engine/engine.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { portPool } from '../../harness/servers/ports.ts';

describeInBrowser(
  'the page of a tenant that is still on a Docker engine',
  () => {
    const docker = new Docker();
    const pool = portPool();
    let directory: string;
    let server: MariaDb;
    let app: App;
    let instance: string;
    let tenant: TenantAnswer;
    let page: Page;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tenantry-moves-page-'));
      server = await startMariaDb();
      app = await startApp({ directory, environment: { ...pool, RUNTIME: 'docker' } });
      tenant = await makeTenant(app, (await makeContactsRepository(join(directory, 'contacts'))).path);
      expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
      instance = (await left())[0]?.Labels['org.tenantry.instance'] ?? '';
      await app.stop();
      app = await startApp({
        directory,
        environment: {
          ...pool,
          RUNTIME: 'process',
          MOVE_FROM_ENGINE: 'unix:///var/run/docker.sock',
          TENANT_DATABASE_URL: server.adminUrl,
        },
      });
      page = (await visit(app.manager.dashboardUrl ?? '')).page;
      await page.goto(`/tenants/${tenant.id}`);
      await signIn(page);
    });
    afterAll(async () => {
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
      for (const { Id } of await left()) await docker.getContainer(Id).remove({ force: true, v: true });
      const filters = { label: [`org.tenantry.tenant=${tenant.id}`] };
      for (const { Name } of (await docker.listVolumes({ filters })).Volumes) await docker.getVolume(Name).remove();
      for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove();
      const images = await docker.listImages({ filters: { label: [`org.tenantry.instance=${instance}`] } });
      for (const { Id } of images) await removeImage(docker, Id);
      await app.stop();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });

    const left = () => docker.listContainers({ all: true, filters: { label: [`org.tenantry.tenant=${tenant.id}`] } });

    test('shows the findings of a check, moves the tenant and removes what it left', async () => {
      await page.getByRole('heading', { name: 'Still on Docker' }).waitFor();
      expect(await screen(page, 'tenant-move')).toEqual([]);
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByText(/^copied/)
        .waitFor();
      expect(await screen(page, 'tenant-move-check')).toEqual([]);
      await confirm(page, 'Move');

      await page.waitForURL(/\/deployments\//);
      await page.getByText('Restore files').first().waitFor();
      await page.getByText('Succeeded').first().waitFor({ timeout: 180_000 });
      expect(await getTenant(app, tenant.id)).toMatchObject({ status: 'running' });

      await page.goto(`/tenants/${tenant.id}`);
      await page.getByRole('heading', { name: 'Moved from Docker' }).waitFor();
      expect(await screen(page, 'tenant-moved')).toEqual([]);
      await page.getByRole('button', { name: 'Remove leftovers' }).click();
      await confirm(page, 'Remove leftovers');
      await page.getByText(/The leftovers of .* are removed/).waitFor();
      expect(await left()).toEqual([]);
      await page.getByRole('heading', { name: 'Moved from Docker' }).waitFor({ state: 'detached' });
      const planned = page.waitForResponse((answer) => answer.url().endsWith(`/tenants/${tenant.id}/move`));
      await page.reload();
      expect(await (await planned).json()).toMatchObject({ at_origin: false });
      await page.getByText('Services').first().waitFor();
      expect(await page.getByRole('button', { name: 'Remove leftovers' }).count()).toBe(0);
    });
  },
  describeWithEngine,
);
