import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { describeInBrowser, screen, signIn, type Visit, visit } from '../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';

/** Only the used parts of a page; a browser's global types would hide those of Node. */
declare const document: {
  querySelectorAll(selector: string): { length: number };
  createElement(name: string): { textContent: string };
  head: { append(child: unknown): void };
};

const esc = '\u001b';
/**
 * What a malicious application may print: markup, colours, links and titles of terminals, sequences that clear or
 * reverse a line.
 */
const hostileLines = [
  `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`,
  `${esc}[31mred${esc}[0m ${esc}[2J${esc}[H wiped`,
  `${esc}]8;;https://evil.example${esc}\\link${esc}]8;;${esc}\\`,
  `${esc}]0;taken\u0007title`,
  'first\rsecond \u202egnp.exe \u2066hidden\u2069',
  'javascript:alert(1) https://evil.example/',
];

describeInBrowser('malicious content is text', () => {
  let app: App;
  let visitor: Visit;
  let tenant: TenantAnswer;
  const dialogs: string[] = [];
  const names = [
    `<img src=x onerror="document.title='taken'">`,
    `"><script>document.title='taken'</script>`,
    "'; DROP TABLE tenants; --{{7*7}}<%= 7*7 %>",
    '＜svg onload=alert(1)＞ gnp.exe',
    'W'.repeat(100),
  ];

  beforeAll(async () => {
    app = await startApp();
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    const said = hostileLines.map((line) => `console.log(${JSON.stringify(line)});`).join('\n');
    await repository.release('v1.2.0', {
      'tenant.yaml': repository.manifest.replace('node server.js api', 'node --require ./say.js server.js api'),
      'say.js': `${said}\n`,
      'install.js': `${said}\n`,
    });
    for (const name of names.slice(1)) await makeTenant(app, undefined, { name, notes: name });
    tenant = await makeTenant(app, repository.path, { name: names[0], notes: hostileLines[0] });
    expect((await deploy(app, tenant.id)).status).toBe('success');
    visitor = await visit(app.manager.dashboardUrl ?? '');
    visitor.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
  });

  /** Nothing of the content became part of the page. */
  async function expectInert(): Promise<void> {
    const { page } = visitor;
    expect(
      await page.evaluate(
        () => document.querySelectorAll('img[src="x"], body script:not([src]), svg[onload], [onerror]').length,
      ),
    ).toBe(0);
    expect(await page.title()).not.toMatch(/^taken/);
    expect(dialogs).toEqual([]);
  }

  test('tenant names, wherever they appear', async () => {
    // A name that turns the text after it around is refused.
    await expect(makeTenant(app, undefined, { name: 'photo \u202Egnp.exe' })).rejects.toThrow('change the direction');
    const { page } = visitor;
    await page.goto('/tenants');
    await signIn(page);
    for (const name of names) await page.getByText(name, { exact: true }).first().waitFor();
    await expectInert();
    expect(await screen(page, 'hostile-list')).toEqual([]);
    await page.getByRole('link', { name: names[0] ?? '', exact: true }).click();
    await page.getByRole('heading', { name: names[0] ?? '', level: 1 }).waitFor();
    await page
      .getByText(hostileLines[0] ?? '', { exact: true })
      .first()
      .waitFor();
    await expectInert();
    await page.goto('/system/ports');
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
    await expectInert();
  });

  test('search terms and filters in the address', async () => {
    const { page } = visitor;
    for (const path of [
      `/?q=${encodeURIComponent(names[0] ?? '')}&status=${encodeURIComponent(names[1] ?? '')}`,
      `/tenants/${encodeURIComponent(names[0] ?? '')}`,
      `/tenants/${tenant.id}/deployments/${encodeURIComponent(names[1] ?? '')}`,
      `/system/proxy/${encodeURIComponent(names[0] ?? '')}`,
      '/tenants/..%2f..%2fapi%2fsettings',
    ]) {
      await page.goto(path);
      await page.getByRole('button', { name: 'Account' }).waitFor();
      await expectInert();
    }
  });

  test('the log of a deployment and of a service', async () => {
    const { page } = visitor;
    await page.goto(`/tenants/${tenant.id}/deployments`);
    await page.getByRole('row').getByRole('link').first().click();
    await page.getByText('red  wiped').first().waitFor();
    await expectInert();
    await page.goto(`/tenants/${tenant.id}/logs`);
    await page.getByText('red  wiped').first().waitFor();
    await page
      .getByText(hostileLines[0] ?? '')
      .first()
      .waitFor();
    await page.getByText('firstsecond gnp.exe hidden').waitFor();
    await expectInert();
    // A link in a log is not a link of the page.
    expect(await page.getByRole('link', { name: /evil|link/ }).count()).toBe(0);
    expect(await screen(page, 'hostile-log')).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const saved = await readFile(await download.path(), 'utf8');
    expect(saved).toContain('gnp.exe');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(saved).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/);
  });

  test('the browser reported no errors', () => {
    expect(visitor.complaints).toEqual([]);
  });

  test('injected content could neither run nor send requests', async () => {
    const { page, complaints } = await visit(app.manager.dashboardUrl ?? '');
    await page.goto('/tenants');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const outcome = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.taken = true';
      document.head.append(script);
      const asked = await fetch('https://evil.example/').then(
        () => 'answered',
        () => 'refused',
      );
      return { taken: (globalThis as { taken?: boolean }).taken ?? false, asked };
    });
    expect(outcome).toEqual({ taken: false, asked: 'refused' });
    expect(complaints.filter((complaint) => complaint.includes('Content Security Policy')).length).toBeGreaterThan(1);
    expect(complaints.filter((complaint) => complaint.startsWith('outside request'))).toEqual([]);
    await page.context().close();
  });
});
