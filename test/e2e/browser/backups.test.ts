import { execFileSync } from 'node:child_process';
import { readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, startApp } from '../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, type Visit, visit } from '../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { databaseFileIn, deploy, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';

interface BackupAnswer {
  id: string;
  kind: string;
  backup_path: string;
  size_bytes: number;
  created_at: string;
}

const migration = (body: string): string => `
const { existsSync } = require('node:fs');
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', ''));
${body}
`;

describeInBrowser('backups and upgrades, by a browser', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let tenant: TenantAnswer;
  let other: TenantAnswer;
  let gate = '';
  const named = 'Bürgerinitiative für den Erhalt des Stadtparks Untermarchenbach';

  beforeAll(async () => {
    app = await startApp({ healthTimeoutMs: 20_000 });
    gate = join(app.directory, 'gate');
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await repository.release('v1.2.0', {
      'migrate.js': migration(`
        if (process.argv[2] === 'first') database.exec(
          "ALTER TABLE persons ADD COLUMN city TEXT NOT NULL DEFAULT ''; CREATE TABLE IF NOT EXISTS tags (name TEXT NOT NULL, PRIMARY KEY (name))");
        else database.exec('CREATE UNIQUE INDEX persons_by_id ON persons (id); DELETE FROM events WHERE id > 2');`),
    });
    await repository.release('v1.3.0-rc.1', {});
    await repository.release('v1.4.0', {
      'migrate.js': migration(`
        const look = () => existsSync(${JSON.stringify(gate)}) ? go() : setTimeout(look, 20);
        const go = () => {
          database.exec('DELETE FROM persons');
          if (process.argv[2] === 'first') return;
          for (let line = 1; line <= 12; line += 1) console.log('moving people, part ' + line);
          console.error("\\u001b[31mduplicate entry 'anna@example.org' <b>in</b> persons.email\\u001b[0m");
          process.exit(9);
        };
        look();`),
    });
    tenant = await makeTenant(app, repository.path, { name: named, slug: 'stadtpark' });
    other = await makeTenant(app, repository.path, { name: 'Probe', slug: 'probe' });
    first = await visit(app.manager.dashboardUrl ?? '', { acceptDownloads: true });
    page = first.page;
    await page.goto('/tenants');
    await signIn(page);
  });
  afterAll(async () => {
    await app?.stop();
  });

  /** In a separate process, like the tenant's: two libraries in one process break each other's locks. */
  function inDatabase({ directory }: TenantAnswer, statement: string): string {
    const script =
      'const d = new (require("node:sqlite").DatabaseSync)(process.argv[1]); console.log(/^SELECT/.test(process.argv[2]) ? JSON.stringify(d.prepare(process.argv[2]).all()) : d.exec(process.argv[2]))';
    const args = ['--no-warnings', '-e', script, databaseFileIn(join(directory, 'data')), statement];
    return execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  }
  const people = (of = tenant): number => JSON.parse(inDatabase(of, 'SELECT COUNT(*) AS n FROM persons'))[0].n;
  const backups = async (of = tenant): Promise<BackupAnswer[]> =>
    (await app.call<{ backups: BackupAnswer[] }>('GET', `/api/tenants/${of.id}/backups`)).body.backups;
  const open = (section: string): Promise<unknown> => page.goto(`/tenants/${tenant.id}/${section}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const sidePanel = () => page.getByRole('dialog', { name: /^Backup/ });
  const part = (name: string) => page.getByRole('heading', { name });

  test('before the first deployment there is nothing to back up or upgrade, and the page explains it', async () => {
    await open('backups');
    await part('Nothing to back up yet').waitFor();
    expect(await screen(page, 'backups-not-deployed')).toEqual([]);
    await page.getByRole('link', { name: 'Upgrade', exact: true }).click();
    await part('Nothing to upgrade yet').waitFor();
    expect(await screen(page, 'upgrade-not-deployed')).toEqual([]);
    const deployments = [tenant, other].map(({ id }) => deploy(app, id, { target_version: 'v1.1.0' }));
    for (const { status } of await Promise.all(deployments)) expect(status).toBe('success');
    tenant = await getTenant(app, tenant.id);
    other = await getTenant(app, other.id);
    inDatabase(
      tenant,
      `INSERT INTO persons (id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234) SELECT i FROM n;
       CREATE TABLE events (id INTEGER); INSERT INTO events VALUES (1), (2), (3), (4), (5); CREATE TABLE communications (id INTEGER)`,
    );
  });

  test('makes the first backup, and lists it', async () => {
    await open('backups');
    await part('No backups yet').waitFor();
    await part('No automatic backups').waitFor();
    expect(await screen(page, 'backups-empty')).toEqual([]);
    await button('Back up now').click();
    const row = page.getByRole('row', { name: 'Manual' });
    await row.getByText('Verified').waitFor();
    await row.getByText('1,239').waitFor();
    await page.getByText('The backup was made').waitFor();
  });

  test('shows one in a side panel, which survives a reload, and verifies it', async () => {
    await page.getByRole('row', { name: 'Manual' }).getByRole('link').click();
    const panel = sidePanel();
    await panel.getByText('Integrity verified').waitFor();
    await page.reload();
    await panel.getByText('Integrity verified').waitFor();
    await panel.getByText('Rows per table').click();
    await panel.getByText('communications').waitFor();
    expect(await screen(page, 'backup')).toEqual([]);
    await panel.getByRole('button', { name: 'Run restore test…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run a restore test?' });
    await dialog.waitFor();
    expect(await screen(page, 'backup-drill')).toEqual([]);
    await dialog.getByRole('button', { name: 'Run test' }).click();
    await panel.getByText('Restore test passed').waitFor();
    expect(await screen(page, 'backup-drilled')).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Manual' }).getByText('Restore tested', { exact: true }).waitFor();
    expect(people()).toBe(1234);
  });

  test('the list of deployments has backups and restore tests only if asked', async () => {
    await open('deployments');
    await page.getByRole('row', { name: 'Deployment' }).waitFor();
    expect(await page.getByRole('row', { name: /Backup|Restore test/ }).count()).toBe(0);
    expect(await screen(page, 'deployments-only')).toEqual([]);
    await page.getByRole('link', { name: 'All operations' }).click();
    await page.getByRole('row', { name: 'Restore test' }).waitFor();
    await page.getByRole('row', { name: 'Backup' }).waitFor();
    await page.getByRole('link', { name: 'Deployments only' }).click();
    await page.getByRole('row', { name: 'Backup' }).waitFor({ state: 'detached' });
    await open('backups');
  });

  test('downloads it completely', async () => {
    const [made] = await backups();
    await page.getByRole('button', { name: 'Actions for the backup' }).press('Enter');
    const started = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    const file = await started;
    expect(file.suggestedFilename()).toMatch(/^stadtpark-.+\.tar$/);
    const [got, kept] = [await readFile(await file.path()), await readFile(made?.backup_path ?? '')];
    expect(got.equals(kept)).toBe(true);
    // By the browser, not through the page's memory.
    expect(new URL(file.url()).searchParams.has('ticket')).toBe(true);
    await page.getByText('Preparing the download').waitFor();
  });

  test('a rejected download shows the reason', async () => {
    const [made] = await backups();
    const path = made?.backup_path ?? '';
    await rename(path, `${path}.aside`);
    await page.getByRole('button', { name: 'Actions for the backup' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    await page.getByRole('heading', { name: 'The file is gone' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
    await rename(`${path}.aside`, path);
  });

  test('sets a schedule in words, with errors next to the fields', async () => {
    await button('Choose a schedule').click();
    await choose(page.getByLabel('Frequency'), 'cron');
    await page.getByLabel('Cron expression').fill('at night');
    await choose(page.getByLabel('Retention'), 'own');
    await page.getByLabel('Newest backups').fill('some');
    await page.getByText('Enter a whole number').waitFor();
    await page.getByLabel('Newest backups').fill('3');
    await button('Save schedule').click();
    await page.getByText('must be a cron expression of five fields').waitFor();
    expect(await screen(page, 'schedule')).toEqual([]);
    await choose(page.getByLabel('Frequency'), 'daily');
    await choose(page.getByLabel('At', { exact: true }), '3');
    expect(await screen(page, 'schedule-daily')).toEqual([]);
    await button('Save schedule').click();
    await part('Scheduled backups').waitFor();
    await page.getByText('At 03:00, every day').waitFor();
    await page.getByText('the newest 3, and one for each of the last').waitFor();
    const { body } = await app.call('GET', `/api/tenants/${tenant.id}/backup-schedule`);
    expect(body).toMatchObject({ cron: '0 3 * * *', keep: { last: 3 } });
    expect(Date.parse(String(body.next_run_at))).toBeGreaterThan(Date.now());
    expect(await screen(page, 'backups')).toEqual([]);
  });

  test('restores after typing the short name, watched live, and keeps the previous state', async () => {
    inDatabase(tenant, 'DELETE FROM persons WHERE id > 34');
    await page.getByRole('button', { name: 'Actions for the backup' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' });
    await dialog.getByText('The current state is backed up first').waitFor();
    const submit = dialog.getByRole('button', { name: 'Restore', exact: true });
    await expect(submit.isDisabled()).resolves.toBe(true);
    expect(await screen(page, 'restore')).toEqual([]);
    await dialog.getByLabel('Type stadtpark to confirm').fill('stadtpark');
    await submit.click();
    await page.getByText('The backup was restored, and the site is healthy').waitFor();
    expect(await screen(page, 'restored')).toEqual([]);
    expect(people()).toBe(1234);
    await page.locator('main').getByRole('link', { name: 'Backups' }).last().click();
    const safety = page.getByRole('row', { name: 'Before a restore' });
    await safety.getByText('39', { exact: true }).waitFor();
  });

  test('restores into another tenant, whose name must be typed', async () => {
    const made = (await backups()).find(({ kind }) => kind === 'manual');
    await open(`backups/${made?.id}`);
    await sidePanel().getByRole('button', { name: 'Restore…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore this backup?' });
    await choose(dialog.getByLabel('Restore into'), other.id);
    await dialog.getByText('Probe stops').waitFor();
    await dialog.getByLabel('Type probe to confirm').fill('probe');
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('heading', { name: 'Probe', level: 1 }).waitFor();
    await page.getByText('The backup was restored').waitFor();
    expect([people(other), people()]).toEqual([1234, 1234]);
  });

  test('shows that a backup is damaged and its restore was rejected, and deletes it', async () => {
    const { body } = await app.call<BackupAnswer>('POST', `/api/tenants/${tenant.id}/backups`);
    await truncate(body.backup_path, body.size_bytes - 700);
    await open(`backups/${body.id}`);
    const panel = sidePanel();
    await panel.getByRole('button', { name: 'Run restore test…' }).click();
    await button('Run test').click();
    await panel.getByText('Don’t rely on this backup').waitFor();
    await panel.getByText('bytes instead of').waitFor();
    expect(await screen(page, 'backup-damaged')).toEqual([]);
    await panel.getByRole('button', { name: 'Restore…' }).click();
    await page.getByLabel('Type stadtpark to confirm').fill('stadtpark');
    await page
      .getByRole('dialog', { name: 'Restore this backup?' })
      .getByRole('button', { name: 'Restore', exact: true })
      .click();
    await page.getByText('The restore failed. The previous state was kept').waitFor();
    expect(await screen(page, 'restore-failed')).toEqual([]);
    expect(people()).toBe(1234);
    await open(`backups/${body.id}`);
    await panel.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this backup?' });
    await dialog.waitFor();
    expect(await screen(page, 'backup-delete')).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete backup' }).click();
    await page.getByText('Backup deleted').waitFor();
    expect((await backups()).some(({ id }) => id === body.id)).toBe(false);
    await open(`backups/${body.id}`);
    await panel.getByText('This backup no longer exists').waitFor();
  });

  test('rehearses the newest version, also across a reload, and shows why it would fail', async () => {
    await open('upgrade');
    await part('v1.4.0 is ready').waitFor();
    await page.getByRole('row', { name: 'v1.1.0' }).getByText('Current').waitFor();
    await page.getByRole('row', { name: 'v1.4.0' }).getByText('Newest release').waitFor();
    await page.getByRole('row', { name: 'v1.3.0-rc.1' }).getByText('Pre-release').waitFor();
    expect(await screen(page, 'upgrade')).toEqual([]);
    await button('Rehearse first').click();
    await page.getByText('Rehearsal in progress').waitFor();
    await expect(button('Upgrade…').isDisabled()).resolves.toBe(true);
    expect(await screen(page, 'rehearsal-under-way')).toEqual([]);
    await page.reload();
    await page.getByText('Rehearsal in progress').waitFor();
    await writeFile(gate, '');
    await page.getByText('v1.4.0 would fail', { exact: true }).waitFor();
    await page.getByText('in the migration second').waitFor();
    // Colours and markup in a script's output are text.
    await page.getByText("duplicate entry 'anna@example.org' <b>in</b> persons.email").waitFor();
    await page.getByText('1,234 fewer').waitFor();
    await part('v1.4.0 is the newest version, but it would fail here').waitFor();
    expect(await screen(page, 'rehearsal-failed')).toEqual([]);
    expect(people()).toBe(1234);
  });

  test('upgrades anyway: the failure is rolled back, data included, and the version is recorded', async () => {
    await button('Upgrade anyway…').click();
    const dialog = page.getByRole('dialog', { name: 'Upgrade to v1.4.0?' });
    await dialog.getByText('A rehearsal found that it would fail').waitFor();
    await dialog.getByText('More options').click();
    expect(await screen(page, 'upgrade-ask')).toEqual([]);
    await dialog.getByRole('button', { name: 'Upgrade to v1.4.0' }).click();
    await page.getByText('v1.4.0 failed. Rolled back to v1.1.0, data included').waitFor();
    await page.getByText('What failed: Run migrations').waitFor();
    expect(await screen(page, 'upgrade-rolled-back')).toEqual([]);
    expect(people()).toBe(1234);
    await page.getByRole('link', { name: 'Versions and upgrades' }).click();
    await part('v1.4.0 is the newest version, but it failed here').waitFor();
    await page.getByText('Rolled back to v1.1.0').waitFor();
    await page.getByRole('row', { name: 'v1.4.0' }).getByText('Failed here').waitFor();
    expect(await screen(page, 'upgrade-failed-before')).toEqual([]);
    expect((await backups())[0]).toMatchObject({ kind: 'upgrade' });
  });

  test('rehearses another version and upgrades to it', async () => {
    await page.getByRole('button', { name: 'Actions for v1.2.0' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Rehearse' }).click();
    await page.getByText('v1.2.0 would work', { exact: true }).waitFor();
    await page.getByText('column city').waitFor();
    await page.getByText('3 fewer').waitFor();
    expect(await screen(page, 'rehearsal')).toEqual([]);
    await page.getByRole('button', { name: 'Actions for v1.2.0' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Upgrade' }).click();
    await button('Upgrade to v1.2.0').click();
    await page.getByText('Upgraded to v1.2.0, health check passed').waitFor();
    expect(await screen(page, 'upgraded')).toEqual([]);
  });

  test('downgrades only after a confirmation', async () => {
    await open('upgrade');
    await page.getByRole('button', { name: 'Actions for v1.1.0' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Downgrade' }).click();
    const dialog = page.getByRole('dialog', { name: 'Downgrade to v1.1.0?' });
    await dialog.getByText('the data is not rolled back').waitFor();
    const submit = dialog.getByRole('button', { name: 'Downgrade to v1.1.0' });
    await expect(submit.isDisabled()).resolves.toBe(true);
    expect(await screen(page, 'downgrade-ask')).toEqual([]);
    await dialog.getByLabel('Type stadtpark to confirm').fill('stadtpark');
    await submit.click();
    await page.getByText('Upgraded to v1.1.0, health check passed').waitFor();
    // A backup of the other version needs a separate permission.
    const made = (await backups()).find(({ kind }) => kind === 'upgrade');
    await open(`backups/${made?.id}`);
    await sidePanel().getByRole('button', { name: 'Restore…' }).click();
    const mismatch = page.getByLabel('Restore even though the versions differ');
    await mismatch.waitFor();
    expect(await screen(page, 'restore-other-version')).toEqual([]);
    // The permission for one tenant does not apply to another.
    await mismatch.check();
    for (const id of [other.id, tenant.id]) await choose(page.getByLabel('Restore into'), id);
    await mismatch.waitFor();
    await expect(mismatch.isChecked()).resolves.toBe(false);
  });

  test('lists all kinds, and shows why one failed', async () => {
    const { id, directory } = tenant;
    await app.call('POST', `/api/tenants/${id}/stop`);
    const path = databaseFileIn(join(directory, 'data'));
    const good = await readFile(path);
    await writeFile(path, 'no database at all, but long enough to look at it');
    await open('backups');
    await button('Back up now').click();
    const row = page.getByRole('row').filter({ hasText: 'Failed' });
    await row.waitFor();
    await page.getByText('No backup was made').first().waitFor();
    expect(await screen(page, 'backups-all-kinds')).toEqual([]);
    await row.getByRole('link').click();
    await sidePanel().getByText('The backup failed, and nothing was kept').waitFor();
    await sidePanel().getByText('database').first().waitFor();
    expect(await screen(page, 'backup-failed')).toEqual([]);
    await writeFile(path, good);
  });

  test('a viewer sees everything, without actions that need another role', async () => {
    const { password } = await app.userOf('viewer');
    const users = await app.call<{ users: { username: string; role: string }[] }>('GET', '/api/users');
    const username = users.body.users.find(({ role }) => role === 'viewer')?.username ?? '';
    const viewer = await visit(app.manager.dashboardUrl ?? '');
    await viewer.page.goto(`/tenants/${tenant.id}/backups`);
    await signIn(viewer.page, username, password);
    await viewer.page.getByRole('row', { name: 'Restore tested' }).getByRole('link').click();
    await viewer.page.getByText('Only administrators can restore').waitFor();
    const may = /Back up|schedule|test|Restore|Download|Delete|Rehearse|Upgrade…/;
    const offered = async () => (await viewer.page.getByRole('button').allInnerTexts()).filter((one) => may.test(one));
    expect(await offered()).toEqual([]);
    await viewer.page.goto(`/tenants/${tenant.id}/upgrade`);
    await viewer.page.getByText('This page needs the role').waitFor();
    expect(await offered()).toEqual([]);
    expect(viewer.complaints).toEqual([]);
    await viewer.page.context().close();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(first.complaints).toEqual([]);
  });
});
