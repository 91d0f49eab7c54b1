import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, visit } from '../../../harness/browser/browser.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { getTenant, until } from '../../../harness/data/tenants.ts';
import { type NameServer, startNameServer } from '../../../harness/servers/dns.ts';

describeInBrowser('the first tenant, by a browser', () => {
  let app: App;
  let page: Page;
  let complaints: string[];
  let repository: FixtureRepository;
  let names: NameServer;

  beforeAll(async () => {
    names = await startNameServer({
      'riverside.example.org': ['203.0.113.7'],
      'api.riverside.example.org': ['198.51.100.9'],
    });
    app = await startApp({ environment: { DNS_SERVERS: names.address } });
    repository = await makeFixtureRepository(join(app.directory, 'repository'));
    const visited = await visit(app.manager.dashboardUrl ?? '');
    page = visited.page;
    complaints = visited.complaints;
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
    await names?.stop();
  });

  const form = () => page.getByRole('dialog', { name: 'New tenant' });
  const newTenant = async (): Promise<void> => {
    await page.getByRole('navigation').getByRole('link', { name: 'Tenants' }).click();
    await page.getByRole('button', { name: 'New tenant' }).first().click();
  };
  const found = (text: string) => form().getByRole('status').getByText(text);

  test('what is still to set up is listed with a link to each place, until the user hides it', async () => {
    const card = page.getByRole('region', { name: 'Finish setting up' });
    await page.goto('/');
    await card.getByText('0 of 8 done').waitFor();
    expect(await screen(page, 'setup-checklist-home')).toEqual([]);
    await page.goto('/tenants');
    await card.getByText('0 of 8 done').waitFor();
    expect(await screen(page, 'setup-checklist')).toEqual([]);
    const steps = {
      'Choose your own password': 'New password',
      'Check this host': 'Not checked yet',
      'Add a second administrator': 'Users',
      'Serve host names with certificates': 'No reverse proxy',
      'Schedule backups': 'Off-site copies of backups',
      'Keep copies of backups off-site': 'Off-site copies of backups',
      'Receive alerts about trouble': 'No channels yet',
    };
    for (const [step, found] of Object.entries(steps)) {
      await card.getByRole('link', { name: step }).click();
      await page.getByText(found, { exact: true }).first().waitFor();
      await page.goBack();
    }
    await app.call('PUT', '/api/settings/backup_schedule', { body: { value: '0 3 * * *' } });
    await app.userOf('admin');
    await page.reload();
    await card.getByText('2 of 8 done').waitFor();
    expect(await card.getByRole('link').count()).toBe(6);
    expect(await screen(page, 'setup-checklist-later')).toEqual([]);

    await card.getByRole('link', { name: 'Deploy the first tenant' }).click();
    await form().getByRole('button', { name: 'Cancel' }).click();
    await form().waitFor({ state: 'detached' });

    // An operator has nothing of it to do; another administrator still sees it.
    const other = await visit(app.manager.dashboardUrl ?? '');
    const operator = await app.userOf('operator');
    const { body: me } = await app.call<{ username: string }>('GET', '/api/auth/me', { token: operator.token });
    await other.page.goto('/tenants');
    await signIn(other.page, me.username, operator.password);
    await other.page.getByText('No tenants yet').waitFor();
    expect(await other.page.getByText('Finish setting up').count()).toBe(0);

    await card.getByRole('button', { name: 'Hide this list' }).click();
    await card.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('No tenants yet').waitFor();
    expect(await card.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('its host names and repository are checked while the user types; a version is deployed right away', async () => {
    await app.call('PUT', '/api/settings/public_addresses', { body: { value: '203.0.113.7' } });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/tenants/repository-check')) asked.push(request.postDataJSON().git_repo);
    });
    await newTenant();
    await form().getByLabel('Name', { exact: true }).fill('Riverside');
    await form().getByLabel('Domain', { exact: true }).fill('riverside.example.org');
    await found('riverside.example.org leads to the reverse proxy.').waitFor();
    await found('api.riverside.example.org leads to 198.51.100.9. Change the records to 203.0.113.7').waitFor();
    await form().getByLabel('API domain').fill('app.riverside.example.org');
    await found('app.riverside.example.org does not exist in DNS yet. Create an A record with 203.0.113.7.').waitFor();
    await form().getByLabel('Git repository').fill(`${repository.path}-none`);
    await found('The repository does not exist').waitFor();
    await form().getByLabel('Git repository').fill('ftp://example.org/app.git');
    await found('The address must be https://').waitFor();
    expect(await screen(page, 'new-tenant-refused')).toEqual([]);
    // Each key is a new address; only the one that stays is asked for.
    await form().getByLabel('Git repository').fill('');
    await form().getByLabel('Git repository').pressSequentially(repository.path);
    await found('Reachable. 2 versions found; the newest is v1.1.0.').waitFor();
    expect(asked.at(-1)).toBe(repository.path);
    expect(asked.length).toBeLessThan(repository.path.length);
    await form().getByLabel('First deployment').click();
    const options = page.getByRole('option');
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual(['Not now', 'v1.1.0 (newest release)', 'v1.0.0', 'Branch main']);
    await options.getByText('v1.0.0', { exact: true }).click();
    expect(await screen(page, 'new-tenant-checked')).toEqual([]);
    await form().getByRole('button', { name: 'Create and deploy' }).click();
    await page.getByRole('heading', { name: 'Riverside', level: 1 }).waitFor();
    const [tenant] = (await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants')).body.tenants;
    const deployed = await until(
      () => getTenant(app, tenant?.id ?? ''),
      ({ status }) => status === 'running',
    );
    expect(deployed.version).toBe('v1.0.0');
    // Once there are tenants, a button of Home opens it.
    const later = await visit(app.manager.dashboardUrl ?? '');
    await later.page.goto('/');
    await signIn(later.page);
    const card = later.page.getByRole('region', { name: 'Finish setting up' });
    const opener = later.page.getByRole('button', { name: 'Finish setting up: 3 of 8 done' });
    await opener.waitFor();
    expect(await card.count()).toBe(0);
    expect(await screen(later.page, 'setup-closed')).toEqual([]);
    await opener.click();
    await card.waitFor();
    expect(await card.getByRole('listitem').count()).toBe(8);
    expect(await screen(later.page, 'setup-opened')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the form proposes the repository and the domain of the settings', async () => {
    await page.goto('/system/settings');
    await page.getByLabel('Git repository').fill(repository.path);
    await page.getByLabel('Domain pattern').fill('{slug}.apps.example.org');
    expect(await screen(page, 'settings-new-tenants')).toEqual([]);
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('2 settings saved.').waitFor();
    await newTenant();
    await form().getByLabel('Name', { exact: true }).fill('Hillside Süd');
    await found('Reachable. 2 versions found').waitFor();
    expect(await form().getByLabel('Git repository').inputValue()).toBe(repository.path);
    expect(await form().getByLabel('Domain', { exact: true }).inputValue()).toBe('hillside-sued.apps.example.org');
    expect(await form().getByLabel('API domain').inputValue()).toBe('api.hillside-sued.apps.example.org');
    expect(complaints).toEqual([]);
  });
});
