import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type App, sharedApp, startApp } from '../../harness/app/app.ts';
import {
  choose,
  confirm,
  describeInBrowser,
  screen,
  signIn,
  type Visit,
  visit,
} from '../../harness/browser/browser.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { png, svg } from '../../harness/data/pictures.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { startAssistantServer } from '../../harness/servers/assistant-server.ts';
import { campaignWebsite } from '../../harness/servers/campaign-website.ts';
import { type StoredWebsites, serveStoredWebsites } from '../../harness/servers/stored-websites.ts';

/** Only the used parts of a page's globals; a browser's types would hide those of Node. */
declare const getComputedStyle: (element: unknown) => { getPropertyValue(name: string): string };
declare const document: {
  documentElement: { scrollWidth: number };
  activeElement: { getAttribute(name: string): string | null } | null;
};
declare const DataTransfer: new () => { items: { add(file: unknown): void } };

describeInBrowser('a tenant’s theme, by a browser', () => {
  let app: App;
  let first: Visit;
  let page: Page;
  let tenant: TenantAnswer;
  let sites: StoredWebsites;
  const named = 'Friends of Adaeze Okonkwo-Whitfield for State Senate, District 14';

  beforeAll(async () => {
    sites = await serveStoredWebsites();
    app = await startApp({ environment: { ALLOW_PRIVATE_WEBSITES: 'true' } });
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    tenant = await makeTenant(app, repository.path, { name: named });
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    tenant = await getTenant(app, tenant.id);
    first = await visit(app.manager.dashboardUrl ?? '');
    page = first.page;
    await page.goto(`/tenants/${tenant.id}/theme`);
    await signIn(page);
  });
  afterAll(async () => {
    await app?.stop();
    await sites?.close();
  });

  const preview = () => page.getByRole('img', { name: `Preview of ${named}` }).first();
  const previewed = (name: string) =>
    preview().evaluate((element, variable) => getComputedStyle(element).getPropertyValue(variable), `--${name}`);
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const save = () => page.getByRole('button', { name: 'Save theme' });
  const allSaved = () => page.getByText(/^\d+ unsaved changes?$/).waitFor({ state: 'detached' });
  const theme = async () => (await app.call('GET', `/api/tenants/${tenant.id}/theme`)).body;
  const colourOfUnit = async (): Promise<string | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${tenant.backend_port}/env`);
    return ((await answer.json()) as Record<string, string>).THEME_PRIMARY_COLOR;
  };

  test('shows the saved theme, and whether the site has it', async () => {
    await page.getByText('The site shows the saved theme').waitFor();
    await expect(field('Primary').inputValue()).resolves.toBe('#1D4ED8');
    await page.getByText('Contrast 6.70:1, easy to read').waitFor();
    await expect(previewed('primary')).resolves.toBe('#1D4ED8');
    await expect(save().count()).resolves.toBe(0);
    expect(await screen(page, 'theme')).toEqual([]);
  });

  test('previews a colour immediately, and offers the nearest readable one if needed', async () => {
    await field('Primary').fill('ffd400');
    await page.getByText('Hard to read: white text on it has a contrast of 1.43:1').waitFor();
    await expect(previewed('primary')).resolves.toBe('#FFD400');
    await expect(previewed('on-primary')).resolves.toBe('#000000');
    await page.getByText('1 unsaved change').waitFor();
    expect(await screen(page, 'theme-contrast')).toEqual([]);

    await page.waitForURL(/primary=FFD400/);
    await page.reload();
    await page.getByText('Hard to read: white text on it').waitFor();
    await page.getByRole('button', { name: /^Use #[0-9A-F]{6} instead$/ }).click();
    await page.getByText('Hard to read').waitFor({ state: 'detached' });
    expect(await field('Primary').inputValue()).not.toBe('#FFD400');

    await field('Accent').fill('blue');
    await page.getByText('Enter # and six hexadecimal digits').waitFor();
    await expect(save().isDisabled()).resolves.toBe(true);
    expect(await screen(page, 'theme-wrong')).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(field('Accent').inputValue()).resolves.toBe('#B45309');
    await expect(save().count()).resolves.toBe(0);
  });

  test('is saved, pending until the services restart, and then active', async () => {
    const before = await colourOfUnit();
    await page.getByLabel('Pick the primary colour').fill('#7a1fa2');
    await expect(field('Primary').inputValue()).resolves.toBe('#7A1FA2');
    await save().click();
    await page.getByText('Theme saved. Restart the services to apply it.').waitFor();
    await page.getByText('Restart to apply').waitFor();
    expect(await colourOfUnit()).toBe(before);
    expect(await theme()).toMatchObject({ primary_color: '#7A1FA2', secondary_color: '#475569' });
    await page.reload();
    await page.getByText('Restart to apply').waitFor();
    // Values discarded before do not return.
    await expect(field('Primary').inputValue()).resolves.toBe('#7A1FA2');
    expect(await screen(page, 'theme-pending')).toEqual([]);
    await page.getByRole('button', { name: 'Restart now' }).click();
    await confirm(page, 'Restart');
    await page.getByText(`${named} was restarted.`).waitFor();
    await page.getByText('The site shows the saved theme').waitFor();
    expect(await colourOfUnit()).toBe('#7A1FA2');
  });

  test('logos are chosen or removed, with errors and removed parts next to them', async () => {
    const full = page.getByLabel('Choose a full logo');
    await full.setInputFiles({ name: 'logo.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
    await page.getByRole('alert').getByText('Choose one of these types: .png, .jpg').waitFor();
    await full.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<html></html>') });
    await page.getByText('logo.png, not saved yet').waitFor();
    await save().click();
    await page.getByRole('alert').getByText('The file was rejected: it must be a PNG, JPEG, WebP or SVG').waitFor();
    // The button is far from the error: it shows a message, and the error has the focus and is visible.
    await page.getByRole('status').getByText('Not saved. Check the errors above.').waitFor();
    await until(
      () => page.evaluate(() => document.activeElement?.getAttribute('role')),
      (role) => role === 'alert',
    );
    expect(await screen(page, 'theme-logo-refused')).toEqual([]);
    await full.setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.alloc(5 * 1024 ** 2 + 1) });
    await save().click();
    await page.getByRole('alert').getByText('The file was rejected: it is larger than 5 MiB').waitFor();

    const drawing = svg(
      '<script>document.title="stolen"</script><rect width="40" height="20" rx="3" fill="#7A1FA2"/><path d="M6 14V6h4v8zM14 14V6h4v8z" fill="#fff"/>',
    );
    await full.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: drawing });
    await page.getByRole('img', { name: 'Full logo of this tenant' }).waitFor();
    await save().click();
    await page.getByRole('img', { name: 'Icon of this tenant' }).waitFor();
    expect(await theme()).toMatchObject({ logo_full: expect.any(String), logo_icon: expect.any(String) });

    const { logo_icon: icon } = await theme();
    const bytes = [...(await png({ width: 64, height: 64 }))];
    const drop = async (names: readonly string[]): Promise<void> => {
      const dataTransfer = await page.evaluateHandle(
        ({ content, files }) => {
          const transfer = new DataTransfer();
          for (const name of files)
            transfer.items.add(new File([new Uint8Array(content)], name, { type: 'image/png' }));
          return transfer;
        },
        { content: bytes, files: names },
      );
      await page.getByText('Choose an icon').dispatchEvent('drop', { dataTransfer });
    };
    await drop(['icon.png', 'other.png']);
    await page.getByRole('alert').getByText('Choose only one file.').waitFor();
    await drop(['icon.png']);
    await page.getByText('icon.png, not saved yet').waitFor();
    await save().click();
    await allSaved();
    const now = await theme();
    expect(now.logo_icon).not.toBe(icon);
    expect(now.primary_color).toBe('#7A1FA2');
    expect(await screen(page, 'theme-logos')).toEqual([]);
    await page.getByRole('button', { name: 'Remove: Icon' }).click();
    await page.getByText('It will be removed when you save.').waitFor();
    await page.getByRole('button', { name: 'Keep saved logo: Icon' }).click();
    await expect(save().count()).resolves.toBe(0);
  });

  test('other forms of the logo are collapsed until needed', async () => {
    const cropped = page.getByLabel('Choose a cropped logo');
    await expect(cropped.isVisible()).resolves.toBe(false);
    await page.getByText('Other versions of the logo').click();
    await cropped.setInputFiles({ name: 'sign.png', mimeType: 'image/png', buffer: Buffer.from('<html></html>') });
    await page.getByText('sign.png, not saved yet').waitFor();
    await page.getByText('Other versions of the logo').click();
    await expect(cropped.isVisible()).resolves.toBe(false);
    await save().click();
    // A rejected one is not collapsed.
    await page.getByRole('alert').getByText('The file was rejected: it must be a PNG, JPEG, WebP or SVG').waitFor();
    await cropped.setInputFiles({
      name: 'sign.png',
      mimeType: 'image/png',
      buffer: await png({ width: 90, height: 80 }),
    });
    await page
      .getByLabel('Choose a name-only logo')
      .setInputFiles({ name: 'name.png', mimeType: 'image/png', buffer: await png({ width: 300, height: 60 }) });
    await page.getByText('2 unsaved changes').waitFor();
    await page.getByRole('img', { name: 'Cropped logo of this tenant' }).waitFor();
    await page.getByText('Other versions of the logo').scrollIntoViewIfNeeded();
    expect(await screen(page, 'theme-logos-others')).toEqual([]);
    await save().click();
    await allSaved();
    const { logo_cropped, logo_name } = await theme();
    expect([logo_cropped, logo_name]).toEqual([expect.any(String), expect.any(String)]);
    await page.reload();
    await page.getByRole('img', { name: 'Name only of this tenant' }).waitFor();
    await page.getByRole('button', { name: 'Remove: Name only' }).click();
    await save().click();
    await allSaved();
    expect(await theme()).toMatchObject({ logo_cropped, logo_name: null });
  });

  test('a failed save keeps the choices; leaving the page asks first', async () => {
    await field('Accent').fill('#0A7F5A');
    await page.route('**/theme', (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await save().click();
    await page.getByRole('alert').getByText('The manager can’t be reached').waitFor();
    expect(await screen(page, 'theme-not-saved')).toEqual([]);
    await page.unroute('**/theme');
    await expect(field('Accent').inputValue()).resolves.toBe('#0A7F5A');

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    expect(await screen(page, 'theme-leave')).toEqual([]);
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await save().click();
    await allSaved();
    expect(await theme()).toMatchObject({ accent_color: '#0A7F5A', primary_color: '#7A1FA2' });
    await field('Accent').fill('#000000');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    await page.getByRole('link', { name: 'Theme' }).click();
    await expect(field('Accent').inputValue()).resolves.toBe('#0A7F5A');
  });

  const analyse = async (address: string): Promise<void> => {
    await page.getByLabel('Website address').fill(address);
    await page.getByRole('button', { name: 'Analyse website' }).click();
  };

  test('reports a website that cannot be read', async () => {
    await analyse('ftp://example.org');
    await page.locator('[data-invalid]').first().waitFor();
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    await analyse(`http://127.0.0.1:${port}/`);
    await page.getByText(`127.0.0.1:${port} could not be analysed`).waitFor();
    await page.getByText('refused the connection').waitFor();
    await page.getByText('could not be analysed').scrollIntoViewIfNeeded();
    expect(await screen(page, 'theme-website-failed')).toEqual([]);
  });

  test('analyses a website in the background, also across a reload', async () => {
    let answer = (): void => undefined;
    const icon = await png({ width: 64, height: 64 });
    sites.at('/icon.png', (response) => void response.writeHead(200).end(icon));
    let asked = 0;
    const url = sites.at('/campaign', (response) => {
      asked += 1;
      const send = () => void response.writeHead(200, { 'content-type': 'text/html' }).end(campaignWebsite);
      if (asked === 1) answer = send;
      else send();
    });
    await analyse(url);
    await page.getByText('Reading the page, its styles and its logos').waitFor();
    await page.getByText('The analysis continues in the background').scrollIntoViewIfNeeded();
    expect(await screen(page, 'theme-analysing')).toEqual([]);
    await page.reload();
    await page.getByText('Reading the page, its styles and its logos').waitFor();
    answer();
    await page.getByRole('heading', { name: 'Suggestions' }).waitFor();
    await page.getByRole('heading', { name: 'Okonkwo for Senate: schools' }).waitFor();
    await page.getByRole('listitem').getByText('#15295B').first().waitFor();
    await page.getByRole('img', { name: 'Logo 1 found on the website' }).waitFor();
    if (existsSync('/usr/bin/chromium')) await page.getByRole('img', { name: 'Screenshot of' }).waitFor();
    await page
      .getByRole('button', { name: /^Use these colours/ })
      .last()
      .scrollIntoViewIfNeeded();
    expect(await screen(page, 'theme-suggestions')).toEqual([]);
  });

  test('a suggestion fills the form, and is saved unchanged', async () => {
    await page.getByRole('button', { name: /^Use as full logo/ }).click();
    const use = page.getByRole('button', { name: /^Use these colours/ });
    expect(await use.count()).toBeGreaterThanOrEqual(3);
    await use.first().click();
    await page.getByText('In the form above').waitFor();
    const { body } = await app.call<{ suggestions: { primary_color: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/theme/suggestions`,
    );
    const primary = body.suggestions[0]?.primary_color ?? '';
    await expect(field('Primary').inputValue()).resolves.toBe(primary);
    await expect(previewed('primary')).resolves.toBe(primary);
    const { logo_full: before } = await theme();
    await save().click();
    await page.getByText('Saved theme', { exact: true }).waitFor();
    const saved = await theme();
    expect(saved).toMatchObject({
      primary_color: primary,
      ai_generated: true,
      source_website: expect.stringContaining('/campaign'),
    });
    expect(saved.logo_full).not.toBe(before);
    await page.getByText('These colours were suggested from').waitFor();
    expect(await screen(page, 'theme-applied')).toEqual([]);

    await choose(page.getByLabel('Analyses'), { index: 1 });
    await page.getByText('could not be analysed').waitFor();
    expect(new URL(page.url()).searchParams.has('analysis')).toBe(true);
  });

  test('shows an AI provider’s themes with their reasons; an unusable answer falls back to the rules with the reason', async () => {
    const assistant = await startAssistantServer();
    const settings = { ai_provider_base_url: assistant.baseUrl, ai_provider_api_key: 'sk-1', ai_provider_model: 'm' };
    const setting = (key: string, value: string) => app.call('PUT', `/api/settings/${key}`, { body: { value } });
    const given = (name: string, primary: string, accent: string) => ({
      name,
      primary_color: primary,
      secondary_color: '#475569',
      accent_color: accent,
      text_color: '#1F2937',
    });
    const url = sites.at('/given', (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(campaignWebsite),
    );
    try {
      for (const [key, value] of Object.entries(settings)) await setting(key, value);
      const suggestions = [
        given('Senate navy', '#15295B', '#D7263D'),
        given('Ballot red', '#B01E32', '#15295B'),
        given('Valley green', '#2F6B3A', '#C2410C'),
      ];
      assistant.behave({ answer: { suggestions } });
      await page.getByLabel('Also take a screenshot').uncheck();
      await analyse(url);
      await page.getByRole('heading', { name: 'Valley green' }).waitFor();
      const cards = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('button', { name: /^Use these colours/ }) });
      await expect(cards.getByRole('heading', { level: 4 }).allInnerTexts()).resolves.toEqual(
        suggestions.map(({ name }) => name),
      );
      const reasons = cards.getByText('Chosen by the AI provider from the colours found on the website.');
      expect(await Promise.all((await reasons.all()).map((reason) => reason.isVisible()))).toEqual([true, true, true]);
      await cards.getByText(/#15295B is .*website/).waitFor();
      const places = await Promise.all((await cards.all()).map((card) => card.boundingBox()));
      expect(new Set(places.map((place) => place?.y)).size).toBe(1);
      await cards.last().scrollIntoViewIfNeeded();
      expect(await screen(page, 'theme-ai')).toEqual([]);
      await cards.getByRole('button', { name: 'Use these colours: Ballot red' }).click();
      await expect(field('Primary').inputValue()).resolves.toBe('#B01E32');
      await save().click();
      await allSaved();
      expect(await theme()).toMatchObject({ primary_color: '#B01E32', ai_generated: true });

      assistant.behave({ answer: 'Sure! Blue would look great.' });
      await analyse(url);
      const fallback = page.getByText('The AI provider’s answer does not match the requested format').first();
      await fallback.waitFor();
      await page.getByRole('heading', { name: 'Valley green' }).waitFor({ state: 'detached' });
      expect(await cards.count()).toBeGreaterThanOrEqual(3);
      await fallback.scrollIntoViewIfNeeded();
      expect(await screen(page, 'theme-ai-failed')).toEqual([]);
    } finally {
      for (const key of Object.keys(settings)) await setting(key, '');
      await assistant.close();
    }
  });

  test('fits on a phone, with its own section visible', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`/tenants/${tenant.id}/theme`);
    await page.getByRole('heading', { name: 'Suggestions' }).waitFor();
    const { x, width } = (await page.getByRole('link', { name: 'Theme' }).boundingBox()) ?? { x: -1, width: 0 };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a viewer can look, without actions', async () => {
    const { password } = await app.userOf('viewer');
    const { body } = await app.call<{ users: { username: string; role: string }[] }>('GET', '/api/users');
    const username = body.users.find(({ role }) => role === 'viewer')?.username ?? '';
    const { page: other, complaints } = await visit(app.manager.dashboardUrl ?? '');
    await other.goto(`/tenants/${tenant.id}/theme`);
    await signIn(other, username, password);
    await other.getByRole('heading', { name: 'Suggestions' }).waitFor();
    await other.getByText('Restart to apply').waitFor();
    expect(await other.getByRole('textbox').count()).toBe(0);
    const buttons = await other.getByRole('button').allInnerTexts();
    expect(buttons.filter((label) => /Use|Save|Restart|Analyse|Choose/.test(label))).toEqual([]);
    expect(await screen(other, 'theme-viewer')).toEqual([]);
    expect(complaints).toEqual([]);
    await other.context().close();
  });

  test('rejects an address of the internal network, next to its field', async () => {
    const strict = await sharedApp();
    const { id } = await makeTenant(strict, undefined);
    const { page: other, complaints } = await visit(strict.manager.dashboardUrl ?? '');
    await other.goto(`/tenants/${id}/theme`);
    await signIn(other);
    await other.getByText('The first deployment applies this theme.').waitFor();
    await other.getByLabel('Website address').fill('http://127.0.0.1/');
    await other.getByRole('button', { name: 'Analyse website' }).click();
    await other.getByText('blocked by rule').waitFor();
    expect(await screen(other, 'theme-website-blocked')).toEqual([]);
    expect(complaints).toEqual([]);
    await other.context().close();
  });

  test('the browser reported no errors and sent no requests elsewhere', () => {
    expect(first.complaints).toEqual([]);
  });
});
