import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkApart } from '../../../api/incidents/incident-answers.ts';
import { type App, adminPassword, startApp } from '../../../harness/app/app.ts';
import { choose, describeInBrowser, screen, signIn, type Visit, visit } from '../../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, deploy, makeTenant, type TenantAnswer, until } from '../../../harness/data/tenants.ts';

/** Words that no Spanish text has, of texts that the dashboard has itself. */
const english = /\b(the|and|of|this|with|was|not|are|is|for|to|from|show|search|add|no tenants|never)\b/i;

describeInBrowser('language and time zone', () => {
  let app: App;
  let visited: Visit;
  let tenant: TenantAnswer;
  let deployment: DeploymentAnswer;
  /** Makes the API report a failure while it exists. */
  let failing: string;

  beforeAll(async () => {
    app = await startApp({ healthTimeoutMs: 5_000 });
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name: 'Bright Harbor' });
    deployment = await deploy(app, tenant.id, { target_version: 'v1.0.0' });
    const environment = await (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json();
    failing = join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing');
    visited = await visit(app.manager.dashboardUrl ?? '', { timezoneId: 'Europe/Madrid' });
    await visited.page.goto('/');
    await signIn(visited.page);
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  const languageOf = ({ page }: Visit) => page.locator('html').getAttribute('lang');

  /** The English texts of each page that has some. */
  async function englishOn(paths: readonly string[]): Promise<Record<string, string[]>> {
    const { page } = visited;
    const found: Record<string, string[]> = {};
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('navigation', { name: 'Principal' }).waitFor();
      await page.getByText('Cargando…').first().waitFor({ state: 'detached' });
      await page.waitForLoadState('networkidle');
      const texts = await page.evaluate<string[]>(textsOfPage);
      // Without quoted names, such as a commit's subject.
      const left = texts.filter((text) => english.test(text.replaceAll(/«[^»]*»|The contacts authors/g, '')));
      if (left.length > 0) found[path] = left;
    }
    return found;
  }

  test('are those of the browser until they are chosen', async () => {
    const url = app.manager.dashboardUrl ?? '';
    const spanish = await visit(url, { locale: 'es-MX', timezoneId: 'America/Mexico_City' });
    await spanish.page.goto('/');
    await spanish.page.getByRole('button', { name: 'Iniciar sesión' }).waitFor();
    expect(await languageOf(spanish)).toBe('es');
    expect(await screen(spanish.page, 'sign-in-es')).toEqual([]);
    await spanish.page.context().close();

    await visited.page.goto(`/tenants/${tenant.id}/deployments`);
    expect(await languageOf(visited)).toBe('en');
    expect(await visited.page.locator('main time').first().getAttribute('title')).toMatch(/ CES?T · .* UTC$/);
  });

  test('are chosen in the account, and hold in its other browsers', async () => {
    const { page } = visited;
    await page.getByRole('button', { name: 'Account: admin' }).click();
    await page.getByRole('menuitem', { name: 'Language and time zone' }).click();
    await choose(page.getByLabel('Language'), 'es');
    await choose(page.getByLabel('Time zone'), 'America/Chicago');
    expect(await screen(page, 'preferences')).toEqual([]);
    await page.locator('form').filter({ hasText: 'Time zone' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Idioma y zona horaria' }).waitFor();
    await page.goto(`/tenants/${tenant.id}/deployments`);
    expect(await page.locator('main time').first().getAttribute('title')).toMatch(/ (CST|CDT|GMT-[56]) · .* UTC$/);

    const other = await visit(app.manager.dashboardUrl ?? '');
    await other.page.goto('/');
    // Not by signIn: the page is loaded again in Spanish, perhaps before its English names are seen.
    await other.page.getByLabel('Username').fill('admin');
    await other.page.getByLabel('Password').fill(adminPassword);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('link', { name: 'Instancias', exact: true }).waitFor();
    expect(await languageOf(other)).toBe('es');
    await other.page.context().close();
  });

  test('every page is in Spanish', async () => {
    const { complaints } = visited;
    const ofTenant = [
      ...['', 'deployments', `deployments/${deployment.id}`, 'configuration', 'logs', 'metrics', 'timeline', 'lists'],
      ...['theme', 'backups', 'upgrade'],
    ];
    const ofSystem = [
      ...['overview', 'ports', 'proxy', 'metrics', 'maintenance', 'settings', 'users'],
      ...['notifications/channels', 'notifications/rules'],
    ];
    const paths = [
      ...[
        '/',
        '/tenants',
        '/upgrades',
        '/upgrades/new',
        '/incidents',
        '/timeline',
        '/inbox',
        '/journal',
        `/reports/availability/${new Date().toISOString().slice(0, 7)}`,
        '/account/sessions',
        '/account/tokens',
        '/account/preferences',
      ],
      ...ofTenant.map((section) => `/tenants/${tenant.id}/${section}`),
      ...ofSystem.map((section) => `/system/${section}`),
      '/no-such-page',
    ];
    expect(await englishOn(paths)).toEqual({});
    expect(complaints).toEqual([]);
  });

  test('entries of the audit log are translated, and no name in the navigation covers another', async () => {
    const { page } = visited;
    for (const path of ['/', '/journal']) {
      await page.goto(path);
      await page.getByText('Inicio de sesión (por admin)').first().waitFor({ state: 'visible' });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const names = page.getByRole('navigation', { name: 'Principal' }).getByRole('link').locator('span:first-of-type');
    const boxes = await Promise.all((await names.all()).map((name) => name.boundingBox()));
    expect(boxes).toHaveLength(7);
    let end = 0;
    for (const box of boxes) {
      expect(box?.x).toBeGreaterThanOrEqual(end);
      end = (box?.x ?? 0) + (box?.width ?? 0);
    }
    expect(end).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('an incident is described in Spanish', async () => {
    await writeFile(failing, '');
    await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
    const { incidents } = await until(
      async () => (await app.call('GET', '/api/incidents')).body as { incidents: { id: string }[] },
      (answer) => answer.incidents.length > 0,
    );
    const paths = ['/', '/incidents', `/incidents/${incidents[0]?.id}`, '/timeline', '/inbox', `/tenants/${tenant.id}`];
    expect(await englishOn(paths)).toEqual({});
    await visited.page.goto(`/tenants/${tenant.id}`);
    await visited.page.getByText('respondió 503').first().waitFor();
    await rm(failing);
  });

  test('English comes back', async () => {
    const { page } = visited;
    await page.goto('/account/preferences');
    await choose(page.getByLabel('Idioma'), 'en');
    await page.locator('form').filter({ hasText: 'Zona horaria' }).getByRole('button', { name: 'Guardar' }).click();
    await page.getByRole('heading', { name: 'Language and time zone' }).waitFor();
    const { body } = await app.call('GET', '/api/auth/preferences');
    expect(body).toMatchObject({ language: 'en', time_zone: 'America/Chicago' });
  });
});

/** A script for the page: its visible texts, and its names for screen readers. English of the manager is marked as such. */
const textsOfPage = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement;
    if (element.closest('code, pre, script, noscript, style, [hidden], [translate="no"], body [lang="en"]')) continue;
    if (node === element) texts.push(...['aria-label', 'title', 'placeholder', 'alt'].map((name) => node.getAttribute(name)));
    else texts.push(node.textContent.trim());
  }
  return texts.filter(Boolean);
})()`;
