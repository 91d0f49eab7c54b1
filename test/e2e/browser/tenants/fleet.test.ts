import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../../harness/app/app.ts';
import {
  choose,
  confirm,
  describeInBrowser,
  screen,
  signIn,
  type Visit,
  visit,
} from '../../../harness/browser/browser.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import {
  askDeploy,
  deploy,
  endOf,
  getTenant,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../../harness/data/tenants.ts';

/** Only the used parts of a page's document; a browser's global types would hide those of Node. */
declare const document: { activeElement: { getAttribute(name: string): string | null; textContent: string } | null };

const names = [
  'Ahrensburg',
  'Bad Segeberg',
  'Kreisverband Ostholstein-Süd, Ortsgruppe Timmendorfer Strand und Umgebung',
  'Lübeck <b>St. Lorenz</b>',
];
const undeployed = 'Zarpen';

describeInBrowser('bulk actions on many tenants, by a browser', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let repository: FixtureRepository;
  const tenants: TenantAnswer[] = [];

  beforeAll(async () => {
    app = await startApp();
    repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await repository.release('v1.2.0', { 'NEWS.md': 'Version 1.2.0\n' });
    for (const name of names) tenants.push(await makeTenant(app, repository.path, { name }));
    await makeTenant(app, repository.path, { name: undeployed });
    const deployments = await Promise.all(tenants.map(({ id }) => askDeploy(app, id, { target_version: 'v1.0.0' })));
    const ended = await Promise.all(deployments.map((id) => endOf(app, id)));
    expect(ended.map(({ status }) => status)).toEqual(names.map(() => 'success'));
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    for (const { id } of tenants) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const row = (name: string) => page.getByRole('row', { name });
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const all = () => page.getByRole('checkbox', { name: 'Select all shown' });
  const dialog = () => page.getByRole('dialog');
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
    );

  const search = () => page.getByRole('combobox', { name: 'Find tenants' });
  const openPalette = async (): Promise<void> => {
    await page.keyboard.press('Control+k');
    await until(focused, (name) => name.startsWith('Find tenants'));
  };

  test('selects rows one by one, in ranges, and all that are shown', async () => {
    await row(names[0] ?? '')
      .getByText('Running')
      .waitFor();
    expect(await screen(page, 'fleet-list')).toEqual([]);
    await box(names[0] ?? '').check();
    await page.getByText('1 selected', { exact: true }).waitFor();
    await box(names[2] ?? '').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected', { exact: true }).waitFor();
    expect(await all().evaluate((input: unknown) => (input as { indeterminate: boolean }).indeterminate)).toBe(true);
    expect(await screen(page, 'fleet-selected')).toEqual([]);

    // Rows hidden by the search stay selected, and the page reports it.
    await page.getByLabel('Search tenants').fill('segeberg');
    await page.getByText('2 of them not shown here').waitFor();
    await page.getByLabel('Search tenants').fill('');
    await page.reload();
    await page.getByText('3 selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await all().check();
    await page.getByText('5 selected', { exact: true }).waitFor();
  });

  test('stops running tenants, after listing them and the skipped ones', async () => {
    await page.getByRole('button', { name: 'Stop…' }).click();
    await dialog().getByRole('heading', { name: 'Stop 4 tenants?' }).waitFor();
    await dialog()
      .getByText(names[3] ?? '', { exact: true })
      .waitFor();
    await dialog().getByText('1 selected tenant is left out').waitFor();
    expect(await dialog().getByRole('listitem').last().innerText()).toContain('not deployed');
    expect(await screen(page, 'fleet-confirm')).toEqual([]);
    await dialog().getByRole('button', { name: 'Stop 4 tenants' }).click();
    const card = page.getByRole('region', { name: '4 tenants stopped', exact: true });
    await card.waitFor();
    for (const name of names) await row(name).getByText('Stopped').waitFor();
    expect((await getTenant(app, tenants[0]?.id ?? '')).status).toBe('stopped');
    await card.getByText('All results').click();
    await card.getByRole('listitem').nth(3).waitFor();
    await card.getByRole('button', { name: 'Close' }).click();
  });

  test('names one that cannot be started with the reason, and retries it, by the keyboard alone', async () => {
    const broken = tenants[1]?.id ?? '';
    await setEnvironment(app, broken, { MODE: 'crash' });
    await all().focus();
    await page.keyboard.press('Space');
    while ((await focused()) !== 'Start…') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Start 4 tenants' }).waitFor();
    await page.keyboard.press('Shift+Tab');
    while ((await focused()) !== 'Start 4 tenants') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // Other tests check that it continues: the manager tolerates crashes for a while.
    await page.getByRole('link', { name: 'Upgrades' }).click();
    await page.getByText('Starting 4 tenants').waitFor();
    expect(await screen(page, 'fleet-elsewhere')).toEqual([]);
    await page.getByRole('link', { name: 'Tenants', exact: true }).click();
    const failed = page.getByRole('region', { name: '3 of 4 tenants started' });
    await failed.waitFor();
    const why = failed.getByRole('listitem').first();
    await why.getByRole('link', { name: names[1] ?? '' }).waitFor();
    await why.getByText(/The start of .* failed/).waitFor();
    expect(await screen(page, 'fleet-failed')).toEqual([]);
    await setEnvironment(app, broken, {});
    await failed.getByRole('button', { name: 'Retry 1' }).click();
    await page.getByRole('region', { name: '1 tenant started' }).waitFor();
    await row(names[1] ?? '')
      .getByText('Running')
      .waitFor();
  });

  test('a reload, a second tab and another user show the same, and each tenant restarts once', async () => {
    await app.call('POST', '/api/bulk', { body: { action: 'start', filter: {} } });
    for (const name of names.slice(0, 4)) await row(name).getByText('Running').waitFor();
    const viewer = await app.userOf('viewer');
    const { body: user } = await app.call<{ username: string }>('GET', `/api/users/${viewer.id}`);
    const second = await page.context().newPage();
    await second.goto('/tenants');
    const other = await visit(app.manager.dashboardUrl ?? '');
    await other.page.goto('/tenants');
    await signIn(other.page, user.username, viewer.password);

    await all().check();
    await page.getByRole('button', { name: 'Restart…', exact: true }).click();
    await dialog().getByRole('button', { name: 'Restart 4 tenants' }).click();
    await page.getByRole('region', { name: 'Restarting 4 tenants' }).waitFor();
    expect(await screen(page, 'fleet-restarting')).toEqual([]);
    await page.reload();
    for (const shown of [page, second, other.page]) {
      const card = shown.getByRole('region', { name: '4 tenants restarted' });
      await card.waitFor();
      await card.getByText('4 done').waitFor();
      await card.getByText('By admin').waitFor();
      expect(await shown.getByText(/unknown|not known|0 of/).count()).toBe(0);
    }
    expect(await other.page.getByRole('button', { name: /Cancel|Retry/ }).count()).toBe(0);
    const { body } = await app.call<{ logs: { message: string }[] }>(
      'GET',
      '/api/logs?category=audit&search=restarted',
    );
    expect(body.logs.filter(({ message }) => message === 'admin restarted the services')).toHaveLength(4);
    await page.getByRole('region', { name: '4 tenants restarted' }).getByRole('button', { name: 'Close' }).click();
    await second.close();
    await other.page.context().close();
  });

  test('a cancel leaves pending ones unchanged, and they can be retried', async () => {
    await app.call('POST', '/api/bulk', {
      body: { action: 'restart', tenant_ids: tenants.slice(0, 4).map(({ id }) => id), options: { concurrency: 1 } },
    });
    await page.getByRole('button', { name: /^Cancel the \d pending$/ }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Retry \d$/ }).click();
    const card = page.getByRole('region', { name: /^\d tenants? restarted$/ });
    await card.waitFor();
    await card.getByRole('button', { name: 'Close' }).click();
  });

  test('deploys, rolls back, checks, backs up and configures the selection, each after its question', async () => {
    const act = async (entry: string, fill?: () => Promise<void>): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: entry }).click();
      await fill?.();
      await dialog()
        .getByRole('button', { name: /\d tenants$/ })
        .click();
    };
    const end = async (title: string, skipped?: string): Promise<void> => {
      const card = page.getByRole('region', { name: title, exact: true });
      await card.waitFor();
      if (skipped) await card.getByRole('listitem').filter({ hasText: undeployed }).getByText(skipped).waitFor();
      await card.getByRole('button', { name: 'Close' }).click();
    };
    await all().check();
    await act('Back up…');
    await end('4 of 5 tenants backed up', 'has not been deployed yet');
    for (const { id } of tenants)
      expect((await getTenant(app, id)).last_backup_at).toEqual(expect.stringMatching(/^\d{4}-/));
    await all().check();
    await act('Check now…', async () => expect(await screen(page, 'fleet-check')).toEqual([]));
    await end('4 of 5 tenants checked', 'has not been deployed yet');
    await all().check();
    await act('Set a value…', async () => {
      await choose(dialog().getByLabel('What to set'), 'Address for WebSocket');
      expect(await dialog().getByRole('button', { name: 'Set for 5 tenants' }).isDisabled()).toBe(true);
      await dialog().getByLabel('Value', { exact: true }).fill('wss://chat.example.org');
      expect(await screen(page, 'fleet-configure')).toEqual([]);
    });
    await end('5 tenants configured');
    const { body } = await app.call('GET', `/api/tenants/${tenants[0]?.id}/config`);
    expect(body.ws_base_url).toBe('wss://chat.example.org');
    expect(await deploy(app, tenants[0]?.id ?? '', { target_ref: 'main' })).toMatchObject({ error: null });
    await row(names[0] ?? '')
      .getByText('v1.0.0')
      .waitFor({ state: 'detached' });
    await all().check();
    await box(undeployed).uncheck();
    await act('Deploy…', async () => {
      const changes = dialog().getByRole('region', { name: 'Tenants' });
      expect(await changes.getByText('v1.0.0 again').count()).toBe(3);
      expect(await changes.getByText('a commit without a version → the same, or the newest').count()).toBe(1);
      await dialog().getByText('The newest is v1.2.0').waitFor();
      await dialog().getByLabel('Version', { exact: true }).fill('v1.1.0');
      expect(await changes.getByText('v1.0.0 → v1.1.0').count()).toBe(3);
      expect(await changes.getByText('a commit without a version → v1.1.0').count()).toBe(1);
      expect(await screen(page, 'fleet-deploy')).toEqual([]);
    });
    await page.getByRole('region', { name: 'Deploying 4 tenants' }).waitFor();
    await end('4 tenants deployed');
    for (const name of names) await row(name).getByText('v1.1.0').waitFor();
    await all().check();
    await box(undeployed).uncheck();
    await act('Roll back…', async () => expect(await screen(page, 'fleet-rollback')).toEqual([]));
    await end('4 tenants rolled back');
    for (const name of names) await row(name).getByText('v1.0.0').waitFor();
  });

  test('an upgrade of the selection shows its rings first', async () => {
    await page.getByRole('link', { name: 'Upgrades' }).click();
    await page.getByRole('heading', { name: 'No upgrades yet' }).waitFor();
    expect(await screen(page, 'upgrades-empty')).toEqual([]);
    await page.getByRole('link', { name: 'Tenants', exact: true }).click();
    await all().check();
    await page.getByRole('button', { name: 'Upgrade…' }).click();
    await page.getByText('5 tenants selected in the list').waitFor();
    const version = page.getByLabel('Target version');
    await until(
      () => version.inputValue(),
      (value) => value === 'v1.2.0',
    );
    expect(await screen(page, 'upgrade-new')).toEqual([]);
    await version.clear();
    await version.pressSequentially('v9.0.0');
    expect(await version.inputValue()).toBe('v9.0.0');
    await page.getByRole('button', { name: 'Preview rings' }).click();
    await page.getByText('See the error next to the field.').waitFor();
    await page.locator('[data-invalid]').first().waitFor();
    await version.fill('v1.2.0');
    await choose(page.getByLabel('Rings', { exact: true }), 'own');
    await page.getByLabel('Rings, from first to last').fill('1, 100 %');
    await page.getByRole('button', { name: 'Preview rings' }).click();
    await page.getByRole('heading', { name: 'Ring 2: 3 tenants' }).waitFor();
    await until(focused, (title) => title === 'What would happen');
    await page.getByText('Not deployed (1)').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Ring 2: 3 tenants' }).waitFor();
    expect(await screen(page, 'upgrade-plan')).toEqual([]);
  });

  test('is watched live, halts with the reason, continues, and retries failed ones', async () => {
    const broken = tenants[0] as TenantAnswer;
    await setEnvironment(app, broken.id, { MIGRATION: 'fail' });
    await page.getByRole('button', { name: 'Upgrade 4 tenants to v1.2.0' }).click();
    await page.getByRole('heading', { name: 'Upgrade to v1.2.0', level: 1 }).waitFor();
    await page.getByText('Halted: no further upgrades start').waitFor();
    await page.getByRole('alert').getByText('exit code 7').waitFor();
    await page.getByText('1 failed', { exact: true }).first().waitFor();
    expect(await screen(page, 'upgrade-halted')).toEqual([]);
    await page.getByRole('link', { name: `Log: ${broken.slug}` }).click();
    await page.getByText('table is locked').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByRole('heading', { name: 'Resume after the halt?' }).waitFor();
    expect(await screen(page, 'upgrade-resume')).toEqual([]);
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('status').getByText('Completed with failures').waitFor();
    await page.getByText('4 of 4 tenants finished').waitFor();
    expect(await screen(page, 'upgrade-ended')).toEqual([]);
    await choose(page.getByLabel('Show', { exact: true }), 'failed');
    await until(
      () => page.getByRole('listitem').count(),
      (shown) => shown === 1,
    );

    await setEnvironment(app, broken.id, {});
    await page.getByRole('button', { name: 'Retry the failed tenant' }).click();
    await page.getByRole('button', { name: 'Preview rings' }).click();
    await page.getByRole('button', { name: 'Upgrade 1 tenant to v1.2.0' }).click();
    await page.getByText('1 of 1 tenant finished').waitFor();
    const { body } = await app.call<{ deployed_version: string }>('GET', `/api/tenants/${broken.id}/version`);
    expect(body.deployed_version).toBe('v1.2.0');
  });

  test('waits between rings, and can be paused and ended early', async () => {
    await repository.release('v1.3.0', { 'NEWS.md': 'Version 1.3.0\n' });
    await page.getByRole('link', { name: 'Upgrades' }).first().click();
    await page.getByRole('link', { name: 'v1.2.0' }).first().waitFor();
    expect(await screen(page, 'upgrades')).toEqual([]);
    const { body } = await app.call<{ id: string }>('POST', '/api/upgrades', {
      body: { target_version: 'v1.3.0', filter: {}, rings: [1, '100%'], pause_between_s: 3_600 },
    });
    await page.getByRole('link', { name: 'v1.3.0' }).click();
    await page.getByText('The next ring starts in').waitFor();
    expect(page.url()).toContain(body.id);
    expect(await screen(page, 'upgrade-between')).toEqual([]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: no further upgrades start').waitFor();
    expect(await screen(page, 'upgrade-paused')).toEqual([]);
    await page.getByRole('button', { name: 'Stop rollout' }).click();
    await dialog().getByRole('heading', { name: 'Stop this rollout?' }).waitFor();
    expect(await screen(page, 'upgrade-end')).toEqual([]);
    await dialog().getByRole('button', { name: 'Stop rollout' }).click();
    await page.getByRole('status').getByText('Stopped early').waitFor();
    await page.getByText('3 skipped').first().waitFor();
  });

  test('the command palette finds tenants, pages and available actions', async () => {
    await page.goto('/tenants');
    await box(names[0] ?? '').focus();
    await openPalette();
    expect(await screen(page, 'palette')).toEqual([]);
    await page.keyboard.press('Escape');
    await search().waitFor({ state: 'detached' });
    expect(await focused()).toBe(`Select ${names[0]}`);

    await page.getByRole('button', { name: 'Search or run' }).click();
    await until(focused, (name) => name.startsWith('Find tenants'));
    await page.keyboard.type('segeb');
    await page.getByRole('option', { name: names[1] ?? '' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: names[1] ?? '', level: 1 }).waitFor();

    await openPalette();
    await page.getByRole('option', { name: /^Redeploy v/ }).waitFor();
    expect(await screen(page, 'palette-tenant')).toEqual([]);
    await page.keyboard.type('stop');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: `Stop ${names[1]}?` }).waitFor();
    await confirm(page, 'Stop');
    await page.getByText(`${names[1]} was stopped.`).waitFor();
    await openPalette();
    await page.keyboard.type('logs');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/logs');
    await openPalette();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('new upgr');
    await page.getByText('No results').waitFor();
    expect(await screen(page, 'palette-nothing')).toEqual([]);
    await search().fill('upgrade many');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Upgrade many tenants', level: 1 }).waitFor();
    await openPalette();
    await page.keyboard.type('new tenant');
    await page.keyboard.press('Enter');
    // Not its fields: a label of the page below has the same words.
    await page.getByRole('dialog', { name: 'New tenant' }).waitFor();
    // An open dialog is closed first.
    await page.keyboard.press('Control+k');
    expect(await search().count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('a viewer sees no actions that need another role', async () => {
    const { id, password } = await app.userOf('viewer');
    const { username } = (await app.call<{ username: string }>('GET', `/api/users/${id}`)).body;
    const other = await visit(app.manager.dashboardUrl ?? '');
    await other.page.goto('/upgrades');
    await signIn(other.page, username, password);
    await other.page.getByRole('link', { name: 'v1.3.0' }).click();
    await other.page.getByRole('status').getByText('Stopped early').waitFor();
    expect(await other.page.getByRole('button', { name: /Pause|Resume|Stop rollout|Retry the/ }).count()).toBe(0);
    await other.page.keyboard.press('Control+k');
    await other.page.getByRole('combobox', { name: 'Find tenants' }).fill('segeb');
    await other.page.getByRole('option', { name: names[1] ?? '' }).waitFor();
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('heading', { name: names[1] ?? '', level: 1 }).waitFor();
    await other.page.keyboard.press('Control+k');
    await other.page.getByRole('option', { name: 'Logs' }).waitFor();
    const offered = await other.page.getByRole('option').allInnerTexts();
    expect(
      offered.filter((label) =>
        /^(Deploy|Redeploy \S+|Start|Stop|Restart|Check health now|New tenant|Upgrade many tenants)$/.test(label),
      ),
    ).toEqual([]);
    await other.page.keyboard.press('Escape');
    await other.page.getByRole('link', { name: 'Tenants' }).first().click();
    await other.page.getByRole('row', { name: undeployed }).waitFor();
    expect(await other.page.getByRole('checkbox').count()).toBe(0);
    expect(other.complaints).toEqual([]);
    await other.page.context().close();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(first.complaints).toEqual([]);
  });
});
