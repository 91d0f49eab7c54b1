import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProxiedApp, proxyOf, startProxiedApp } from '../../harness/app/proxied-app.ts';
import {
  choose,
  confirm,
  describeInBrowser,
  screen,
  signIn,
  type Visit,
  visit,
} from '../../harness/browser/browser.ts';
import { deploy, getTenant, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';

/** Only the used parts of a page; a browser's global types would hide those of Node. */
declare const document: {
  querySelector(selector: string): { scrollTop: number; scrollHeight: number; clientHeight: number } | null;
  documentElement: { scrollWidth: number; clientWidth: number };
  activeElement: { getAttribute(name: string): string | null } | null;
};

const lines = 100_000;

/** Fails while a file requests it; prints as many lines as requested. */
const server = `
const http = require('node:http');
const { existsSync } = require('node:fs');
const role = process.argv[2];
const json = (response, status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
http.createServer((request, response) => {
  const url = new URL(request.url, 'http://unit');
  if (url.pathname === '/say') {
    const { from, to } = Object.fromEntries(url.searchParams);
    let text = '';
    for (let at = Number(from); at <= Number(to); at += 1) text += 'request ' + at + ' answered in ' + (at % 97) + ' ms \\u001b[32m200\\u001b[0m <b>/persons/' + at + '</b>\\n';
    return process.stdout.write(text, () => response.end());
  }
  if (url.pathname === '/fail') {
    const text = 'WARN: 2 people without a name\\nTypeError: name is undefined\\n    at save (people.js:12)\\nsaved the others\\n';
    return process.stdout.write(text, () => response.end());
  }
  if (url.pathname === '/env') return json(response, 200, { ...process.env });
  if (role === 'frontend') return existsSync(process.env.IMPORT_DIR + '/down') ? json(response, 503, {}) : response.end('<h1>' + process.env.APP_NAME + '</h1>');
  return json(response, url.pathname === '/api/health' || url.pathname === '/docs' ? 200 : 404, { status: 'healthy' });
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log(role + ' listens'));
process.on('SIGTERM', () => process.exit(0));
`;
const install = (count: number): string => `
let text = '';
for (let at = 1; at <= ${count}; at += 1) text += 'added package-' + at + '@1.0.' + (at % 50) + ' from the registry, with its checksum\\n';
process.stdout.write(text);
`;

const suite = (name: string, define: () => void): void => describeInBrowser(name, define, describeWithNginx);

suite('a tenant’s overview, configuration and logs, by a browser', () => {
  let world: ProxiedApp;
  let first: Visit;
  let tenant: TenantAnswer;
  let deployment = '';
  const name = 'Volunteers for a Greener Upper Valley and the Villages along the Old Railway';

  beforeAll(async () => {
    world = await startProxiedApp({ CERTIFICATES: 'self-signed' });
    await world.repository.release('v1.2.0', { 'server.js': server, 'install.js': install(lines) });
    tenant = await makeTenant(world.app, world.repository.path, { name });
    await setEnvironment(world.app, tenant.id, { SMTP_HOST: 'mail.example.org', SMTP_PASSWORD: 'plum tractor' });
    const made = await deploy(world.app, tenant.id);
    if (made.status !== 'success') throw new Error(JSON.stringify(made.error));
    deployment = made.id;
    first = await visit(
      world.app.manager.dashboardUrl ?? '',
      process.env.SCREENSHOTS ? { viewport: { width: 1440, height: 1700 } } : {},
    );
    await first.page.goto(`/tenants/${tenant.id}`);
    await signIn(first.page);
  });
  afterAll(async () => {
    await world?.destroy();
  });

  const check = () => world.app.call('POST', `/api/tenants/${tenant.id}/health-check`);
  const portOf = (service: 'frontend' | 'backend') =>
    service === 'frontend' ? tenant.frontend_port : tenant.backend_port;
  const ask = async (service: 'frontend' | 'backend', path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${portOf(service)}${path}`);
  /** No element overflows a small screen. */
  async function fits(): Promise<void> {
    const { page } = first;
    await page.setViewportSize({ width: 390, height: 900 });
    const { scrollWidth, clientWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      clientWidth: document.documentElement.clientWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
    await page.setViewportSize({ width: 1440, height: process.env.SCREENSHOTS ? 1700 : 900 });
  }

  test('the overview draws response times, follows checks, and shows the resource usage', async () => {
    const { page } = first;
    for (let turn = 0; turn < 12; turn += 1) await check();
    await page.getByRole('heading', { name: 'Everything works' }).waitFor();
    await page.getByRole('img', { name: /^Site: median \d+ ms, range \d+ to \d+ ms, 1\d checks$/ }).waitFor();
    await page.getByRole('img', { name: /^API: median \d+ ms/ }).waitFor();
    await page.getByRole('img', { name: /^Through the proxy: median \d+ ms/ }).waitFor();
    await page.getByText('They use the current configuration.').waitFor();
    expect(await page.getByText(/^Memory \d+ MB$/).count()).toBe(2);
    expect(await page.getByText(/^CPU [\d.]+ %$/).count()).toBe(2);
    await page.getByText('In sync', { exact: true }).waitFor();
    await page.getByText(`${tenant.slug}.example.org, api.${tenant.slug}.example.org`).first().waitFor();
    await page
      .getByText(/days left$/)
      .first()
      .waitFor();
    await page.getByText(/^unknown → healthy|pending → healthy/).waitFor();
    expect(await screen(page, 'overview-well')).toEqual([]);
    await fits();
  });

  test('shows a failing site and an edited proxy file in the overview', async () => {
    const { page } = first;
    const { IMPORT_DIR: directory = '' } = (await (await ask('backend', '/env')).json()) as Record<string, string>;
    await writeFile(join(directory, 'down'), '');
    await check();
    await page.getByRole('heading', { name: 'The site answers with errors' }).waitFor();
    await page.getByText(/healthy → unhealthy \(frontend: answered 503/).waitFor();
    await page.getByRole('img', { name: /^Site: .* checks; 1 of 1\d unanswered$/ }).waitFor();
    const { path } = await proxyOf(world.app, tenant.id);
    await appendFile(path ?? '', '# edited\n');
    await page.reload();
    await page.getByText('Changed manually').waitFor();
    expect(await screen(page, 'overview-unwell')).toEqual([]);
    await fits();
    await rm(join(directory, 'down'));
    expect((await world.app.call('POST', '/api/proxy/reload?repair=true')).status).toBe(200);
    await check();
    await page.getByRole('heading', { name: 'Everything works' }).waitFor();
  });

  test('validates fields of a configuration, with errors next to them', async () => {
    const { page } = first;
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByLabel('Application name').waitFor();
    expect(await page.getByLabel('Application name').inputValue()).toBe(name);
    // The page never contains the secret.
    await page.getByText('Hidden', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('plum tractor');
    expect(await screen(page, 'configuration')).toEqual([]);
    await fits();
    await page.getByLabel('Short name').fill('Valley');
    await page.getByLabel('Administrator’s e-mail').fill('nobody');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of variable 3').fill('database_url');
    await page.getByLabel('Value of DATABASE_URL').fill('sqlite:/elsewhere.db');
    await page.getByText('4 unsaved changes').or(page.getByText('3 unsaved changes')).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText('must be an e-mail address').waitFor();
    await page.getByText('Tenantry sets this entry').waitFor();
    await until(
      () => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')),
      (invalid) => invalid === 'true',
    );
    expect(await screen(page, 'configuration-wrong')).toEqual([]);
    await page.getByRole('button', { name: 'Remove the rejected variable' }).click();
    await page.getByLabel('Administrator’s e-mail').fill('valley@example.org');
    await page.getByText('2 unsaved changes').waitFor();
    expect(await page.getByText('must be an e-mail address').count()).toBe(0);
    expect(await page.getByText('Some entries can’t be saved').count()).toBe(0);
  });

  test('a click does not discard unsaved changes', async () => {
    const { page } = first;
    const before = page.url();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    expect(await screen(page, 'configuration-leave')).toEqual([]);
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByText('2 unsaved changes').waitFor();
    expect(page.url()).toBe(before);
  });

  test('imports a pasted file, and shows all changes without secrets before saving', async () => {
    const { page } = first;
    await page.getByRole('button', { name: 'Paste a .env file' }).click();
    await page
      .getByLabel('File content')
      .fill(
        "# Mail\nexport SMTP_HOST=mail.valley.example\nSMTP_PORT=587 # plain\nMOTTO='For the\nvalley'\nMAPS_TOKEN=pear\nnothing",
      );
    await page.getByText('3 new, 1 changed, 0 unchanged.').waitFor();
    await page.getByText('Line 7 can’t be read and will be skipped.').waitFor();
    expect(await screen(page, 'configuration-paste')).toEqual([]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Replace the value of SMTP_PASSWORD' }).click();
    await page.getByLabel('Value of SMTP_PASSWORD', { exact: true }).fill('peach lorry');
    await page.getByText('7 unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('mail.valley.example').waitFor();
    await dialog.getByText('new value, hidden').waitFor();
    const shown = await dialog.innerText();
    expect(shown).toContain('valley@example.org');
    expect(shown).not.toMatch(/pear|peach/);
    expect(await screen(page, 'configuration-review')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Configuration saved.').waitFor();
    expect(await page.getByRole('button', { name: 'Review and save' }).count()).toBe(0);
    await page.getByText('Restart required to apply saved changes').waitFor();
    expect(await screen(page, 'configuration-pending')).toEqual([]);
    const { body } = await world.app.call('GET', `/api/tenants/${tenant.id}/config`);
    expect(body).toMatchObject({
      app_name_short: 'Valley',
      custom_env: {
        SMTP_HOST: 'mail.valley.example',
        SMTP_PASSWORD: 'peach lorry',
        SMTP_PORT: '587',
        MOTTO: 'For the\nvalley',
        MAPS_TOKEN: 'pear',
      },
    });
  });

  test('saved changes wait for a restart of the services, also after a reload', async () => {
    const { page } = first;
    await page.reload();
    await page.getByText('Restart required to apply saved changes').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Restart required' }).waitFor();
    await page.getByText('They do not use the current configuration yet').waitFor();
    expect(await screen(page, 'overview-pending')).toEqual([]);
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByRole('button', { name: 'Restart now' }).click();
    await confirm(page, 'Restart');
    await page.getByText('was restarted.').waitFor();
    await page.getByText('Restart required to apply saved changes').waitFor({ state: 'detached' });
    expect(await (await ask('backend', '/env')).json()).toMatchObject({
      SMTP_PASSWORD: 'peach lorry',
      APP_NAME_SHORT: 'Valley',
    });
    await page.getByRole('button', { name: 'Regenerate file' }).click();
    const { directory } = await getTenant(world.app, tenant.id);
    await page.getByText(join(directory, '.env'), { exact: true }).waitFor();
    expect(await screen(page, 'configuration-file')).toEqual([]);
  });

  test('a save can restart immediately; an entry can be removed; an unchanged secret is kept', async () => {
    const { page } = first;
    await page.getByRole('button', { name: 'Remove MOTTO' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('MOTTO').waitFor();
    await page.getByLabel('Restart the services now').check();
    await page.getByRole('button', { name: 'Save and restart' }).click();
    await page.getByText('was restarted.').last().waitFor();
    const environment = await until(
      async () =>
        (await ask('backend', '/env')
          .then((answer) => answer.json())
          .catch(() => ({}))) as object,
      (found) => 'SMTP_HOST' in found && !('MOTTO' in found),
    );
    expect(environment).toMatchObject({ SMTP_PASSWORD: 'peach lorry', MAPS_TOKEN: 'pear' });
    expect((await getTenant(world.app, tenant.id)).status).toBe('running');
  });

  test('the history names each change, and restores an earlier revision', async () => {
    const { page } = first;
    await page.reload();
    const history = page.locator('section', { has: page.getByRole('heading', { name: 'History' }) }).last();
    await history.getByText('Revision 4').click();
    await history.getByText('MOTTO').first().waitFor();
    expect(await history.innerText()).not.toContain('peach lorry');
    expect(await screen(page, 'configuration-history')).toEqual([]);
    await history.getByRole('button', { name: 'Restore… revision 3' }).click();
    const returning = page.getByRole('dialog');
    await returning.getByText('MOTTO').waitFor();
    expect(await screen(page, 'configuration-restore')).toEqual([]);
    await confirm(page, 'Restore');
    await page.getByText('Revision 3 was restored.').waitFor();
    await history.getByText('Revision 5').waitFor();
    const { body } = await world.app.call<{ custom_env: object; revision: number }>(
      'GET',
      `/api/tenants/${tenant.id}/config`,
    );
    expect(body).toMatchObject({
      revision: 5,
      custom_env: { MOTTO: expect.any(String), SMTP_PASSWORD: 'peach lorry' },
    });
    await page.getByLabel('Value of MOTTO').waitFor();
  });

  test('a viewer sees the configuration without values of custom_env, and cannot change it', async () => {
    const { password } = await world.app.userOf('viewer');
    const users = await world.app.call<{ users: { username: string; role: string }[] }>('GET', '/api/users');
    const username = users.body.users.find(({ role }) => role === 'viewer')?.username ?? '';
    const { page, complaints } = await visit(world.app.manager.dashboardUrl ?? '');
    await page.goto(`/tenants/${tenant.id}/configuration`);
    await signIn(page, username, password);
    await page.getByText('An operator can change them.').waitFor();
    await page.getByText('SMTP_HOST').waitFor();
    expect(await page.getByText('Hidden', { exact: true }).count()).toBe(5);
    expect(await page.getByText('mail.valley.example').count()).toBe(0);
    const controls = await page.getByRole('main').getByRole('textbox').count();
    const buttons = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect([controls, buttons]).toEqual([0, []]);
    expect(await screen(page, 'configuration-viewer')).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  /** The total time for which the page did not respond, in ms. */
  const longTasks = async (): Promise<number> =>
    Math.round(await first.page.evaluate(() => (globalThis as { longTasks?: { ms: number } }).longTasks?.ms ?? 0));

  /** Searches, and prints how long the page did not respond. */
  async function searched(what: string, words: string, found: string): Promise<void> {
    const { page } = first;
    const before = await longTasks();
    const began = performance.now();
    await page.getByLabel('Search log').pressSequentially(words);
    await page.getByText(found, { exact: true }).waitFor();
    const took = Math.round(performance.now() - began);
    console.log(
      `${what}: “${words}” typed and found in ${took} ms, of which long tasks ${(await longTasks()) - before} ms`,
    );
    await page.locator('mark').first().waitFor();
  }

  const log = 'section[tabindex]';
  const box = () =>
    first.page.evaluate((selector) => {
      const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = document.querySelector(selector) ?? {};
      return { scrollTop, scrollHeight, clientHeight };
    }, log);

  test('a deployment’s log of 100,000 lines is read from end to end, and searched', async () => {
    const { page } = first;
    await page.addInitScript(() => {
      const long = { ms: 0 };
      (globalThis as { longTasks?: typeof long }).longTasks = long;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) long.ms += duration;
      }).observe({ entryTypes: ['longtask' as never] });
    });
    const began = performance.now();
    await page.goto(`/tenants/${tenant.id}/deployments/${deployment}`);
    await page.getByText(/^100,0\d\d lines$/).waitFor();
    const took = Math.round(performance.now() - began);
    console.log(`a log of ${lines} lines opened in ${took} ms, of which long tasks ${await longTasks()} ms`);
    await page.getByText(/Healthy after/).waitFor();
    const { scrollTop, scrollHeight, clientHeight } = await box();
    expect(scrollHeight).toBeGreaterThan(lines * 20);
    expect(scrollHeight - scrollTop - clientHeight).toBeLessThan(2);
    await page.locator(log).focus();
    await page.keyboard.press('Home');
    await page.getByText('added package-1@1.0.1 from').waitFor();
    await page.getByRole('button', { name: 'Follow new lines' }).waitFor();
    expect(await page.locator(`${log} div div`).count()).toBeLessThan(120);
    expect(await screen(page, 'log-100000')).toEqual([]);
    await page.keyboard.press('End');
    await page.getByText(/Healthy after/).waitFor();
    await searched('deployment log', 'package-99999@', '1 line');
    await page.getByLabel('Search log').fill('nowhere in it');
    await page.getByText('No matching lines.').waitFor();
    await page.getByLabel('Search log').fill('');
    await page.getByText(/^100,0\d\d lines$/).waitFor();
  });

  test('follows a service that prints 100,000 lines without losing one; their content is text', async () => {
    const { page } = first;
    await page.getByRole('link', { name: 'Logs' }).click();
    await choose(page.getByLabel('Service'), 'backend');
    await page.getByText('api listens').last().waitFor();
    const before = await longTasks();
    const began = performance.now();
    for (let from = 1; from <= lines; from += 5_000) await ask('backend', `/say?from=${from}&to=${from + 4_999}`);
    await page.getByText(`request ${lines} answered in`).waitFor();
    const took = Math.round(performance.now() - began);
    console.log(`${lines} lines followed in ${took} ms, of which long tasks ${(await longTasks()) - before} ms`);
    const shown = Number((await page.getByText(/^1\d\d,\d{3} lines$/).innerText()).replaceAll(/\D/g, ''));
    expect(shown).toBeGreaterThanOrEqual(lines);
    expect(await page.getByText('lines may be missing').count()).toBe(0);
    await searched('service log', 'request 54321 ', '1 line');
    await page.getByText('request 54321 answered in 1 ms 200 <b>/persons/54321</b>', { exact: true }).waitFor();
    await page.getByLabel('Search log').fill(' answered in ');
    await page.getByText(`${lines.toLocaleString('en')} lines`, { exact: true }).waitFor();
    expect(await screen(page, 'log-found')).toEqual([]);
    await page.locator(log).focus();
    await page.keyboard.press('Home');
    await page
      .locator(log)
      .getByText(/^request 1 answered in 1 ms/)
      .waitFor();
    await page.getByLabel('Search log').fill('');
    await page.getByRole('button', { name: 'Follow new lines' }).click();
    await page.getByText(`request ${lines} answered in`).waitFor();
  });

  test('shows the errors of a service alone; what the address keeps is the same after a reload', async () => {
    const { page } = first;
    await ask('backend', '/fail');
    await page.getByText('saved the others').waitFor();
    await choose(page.getByLabel('Level'), 'Warnings and errors');
    await page.getByText('3 lines', { exact: true }).waitFor();
    await choose(page.getByLabel('Level'), 'Errors');
    await page.getByText('2 lines', { exact: true }).waitFor();
    await page.getByLabel('Search log').fill('people');
    await page.waitForURL(/search=people/);
    await page.reload();
    await page.getByText('1 line', { exact: true }).waitFor();
    await page.getByText('at save (people.js:12)').waitFor();
    expect(await page.getByLabel('Service').getAttribute('data-value')).toBe('backend');
    await choose(page.getByLabel('Age', { exact: true }), 'Last 5 minutes');
    await page.getByText('1 line', { exact: true }).waitFor();
    expect(await screen(page, 'log-errors')).toEqual([]);
  });

  test('a link to a line opens the log there', async () => {
    const { page } = first;
    await page.goto(`/tenants/${tenant.id}/logs?service=backend`);
    const line = page.locator(log).locator('[data-index]', { hasText: 'TypeError: name is undefined' });
    await line.getByRole('link').click();
    await page.getByText(/Link to the line copied|is now a link to the line/).waitFor();
    const url = page.url();
    await ask('backend', '/say?from=1&to=300');
    await page.goto(url);
    expect(await line.getAttribute('aria-current')).toBe('true');
    await page.getByRole('button', { name: 'Follow new lines' }).waitFor();

    await world.repository.release('v1.2.1', { 'server.js': server, 'install.js': install(1_000) });
    const { id } = await deploy(world.app, tenant.id, { target_version: 'v1.2.1' });
    await page.goto(`/tenants/${tenant.id}/deployments/${id}?search=package-500@`);
    const ofDeployment = page.locator(log).locator('[data-index]', { hasText: 'added package-500@' });
    await ofDeployment.getByRole('link').click();
    await page.waitForURL(/line=/);
    const name = new URL(page.url()).searchParams.get('line') ?? '';
    await page.goto(`/tenants/${tenant.id}/deployments/${id}?line=${encodeURIComponent(name)}`);
    await page.locator('[aria-current=true]', { hasText: 'added package-500@' }).waitFor();
    await page.goto(`/tenants/${tenant.id}/deployments/${id}?line=2020-01-01T00:00:00.000Z_0`);
    await page.getByText('The linked line is not among these lines.').waitFor();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(first.complaints).toEqual([]);
  });
});
