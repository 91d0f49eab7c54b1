import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, test } from '@jest/globals';
import axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { adminPassword } from '../app/app.ts';
import { atWorkerEnd } from '../jest/worker-end.ts';
import { patienceMs, slowness } from '../patience.ts';
import { smallTargets } from './small-targets.ts';
import { steadyNetwork } from './steady-network.ts';

/** Only the used parts of a page's document; a browser's global types would hide those of Node. */
declare const document: {
  documentElement: { dataset: Record<string, string> };
  body: { innerText: string };
  querySelector(selector: string): unknown;
};

declare global {
  /** Details for the error of a failed test (`shared-environment.mjs`). */
  var failureDetails: Set<() => Promise<string>>;
}

const chromiumPath = '/usr/bin/chromium';

const root = join(import.meta.dirname, '..', '..', '..');

/**
 * A block of tests in a browser, of the built dashboard (`npm test` builds it first). Without Chromium it is a skipped test with
 * the reason; in CI it fails instead.
 */
export function describeInBrowser(
  name: string,
  define: () => void,
  describeIt: (name: string, define: () => void) => void = describe,
): void {
  if (!existsSync(chromiumPath) && !process.env.CI) {
    describe(name, () => test.skip(`skipped: no Chromium at ${chromiumPath}`, () => undefined));
    return;
  }
  describeIt(name, () => {
    if (!existsSync(join(root, 'dashboard', 'dist', 'index.html')))
      throw new Error('The dashboard is not built: npm run build');
    afterAll(closeVisits);
    define();
  });
}

let running: Promise<Browser> | undefined;
const contexts = new Set<BrowserContext>();

/** The worker's browser, for all of its suites; where possible in a network of its own, which other suites do not change. */
async function startBrowser(): Promise<Browser> {
  const network = await steadyNetwork(chromiumPath);
  const browser = await chromium.launch({
    executablePath: network?.executablePath ?? chromiumPath,
    env: { ...process.env, ...network?.env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      ...(network?.args ?? []),
    ],
  });
  browser.on('disconnected', () => {
    network?.close();
    running = undefined;
  });
  atWorkerEnd(() => browser.close());
  return browser;
}

async function closeVisits(): Promise<void> {
  await Promise.all([...contexts].map((context) => context.close()));
}

export interface Visit {
  page: Page;
  /** Errors of the browser (also violations of the Content-Security-Policy), and requests to other origins. */
  complaints: string[];
}

/** A separate page in the worker's browser, with nothing stored from other visits; it closes at the end of its suite. */
export async function visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  running ??= startBrowser();
  const context = await (await running).newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  explainFailures(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // The page shows an error response; the browser reports it as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url()) && new URL(request.url()).host !== new URL(url).host)
      complaints.push(`outside request: ${request.url()}`);
  });
  return { page, complaints };
}

/** Adds what the pages show, and the requests that failed or were not answered, to the error of a test that fails. */
function explainFailures(context: BrowserContext): void {
  const failed: string[] = [];
  const note = (request: Request, outcome: string): void => {
    failed.push(`${new Date().toISOString()} ${request.method()} ${request.url()}: ${outcome}`);
    failed.splice(0, failed.length - 12);
  };
  const waiting = new Set<Request>();
  context.on('request', (request) => waiting.add(request));
  context.on('requestfinished', (request) => waiting.delete(request));
  context.on('requestfailed', (request) => waiting.delete(request));
  context.on('requestfailed', (request) => note(request, request.failure()?.errorText ?? 'failed'));
  context.on('response', (response) => {
    if (response.status() >= 400) note(response.request(), String(response.status()));
  });
  const shown = async (page: Page): Promise<string> => {
    const words = await page.evaluate(() => document.body.innerText).catch(String);
    const text = words.replaceAll(/\s+/g, ' ');
    return `${page.url()} shows:\n${text.slice(0, 2_000)} … ${text.slice(2_000).slice(-500)}`;
  };
  const detail = async (): Promise<string> => {
    const pages = await Promise.all(context.pages().map(shown));
    const open = [...waiting].map((request) => `${request.method()} ${request.url()}`);
    const lines = [new Date().toISOString(), ...pages, 'Requests that failed:', ...failed, 'Not answered:', ...open];
    return pages.length > 0 ? lines.join('\n') : '';
  };
  globalThis.failureDetails ??= new Set();
  globalThis.failureDetails.add(detail);
  contexts.add(context);
  context.on('close', () => {
    contexts.delete(context);
    globalThis.failureDetails.delete(detail);
  });
}

interface RunOnly {
  type: 'tag' | 'rule';
  values: string[];
}

/** The dark theme changes only colours: all other rules have the same result in light. */
const rulesOf: Record<'light' | 'dark', RunOnly> = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: {
    type: 'rule',
    values: axe.getRules(['cat.color']).flatMap(({ ruleId, tags }) => (tags.includes('wcag2aaa') ? [] : [ruleId])),
  },
};

/** Violations of WCAG 2.2 A or AA, or of a best practice, on the current page, which has axe: the rule and the element. */
function accessibilityBreaches(page: Page, runOnly: RunOnly): Promise<string[]> {
  return page.evaluate(async (rules) => {
    const { axe: checker } = globalThis as unknown as {
      axe: {
        configure(rules: object): void;
        run(context: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    // Base UI's sentinels at the edges of a menu: they pass the focus on and never keep it. The page under an open dialog has been
    // checked before.
    const dialog = '[role="dialog"]:not([aria-modal="false"]), [role="alertdialog"]';
    const context = {
      exclude: [['[data-base-ui-focus-guard]']],
      ...(document.querySelector(dialog) ? { include: [[dialog]] } : {}),
    };
    // An open menu or list of choices is in a layer of its own, outside of the landmarks.
    checker.configure({ rules: [{ id: 'region', selector: 'body *:not([role="menu"] *, [role="listbox"] *)' }] });
    const { violations } = await checker.run(context, { runOnly: rules });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }, runOnly);
}

/**
 * Violations of WCAG 2.2 A or AA and of best practices on a screen, light and dark, and targets that are too small. With SCREENSHOTS=<directory> it saves screenshots at
 * three widths.
 */
export async function screen(page: Page, name: string): Promise<string[]> {
  const breaches: string[] = [];
  // Rows that are being replaced are dimmed.
  await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
  // Evaluated from outside the page, so that its Content-Security-Policy stays unchanged.
  await page.evaluate(axe.source);
  breaches.push(...(await smallTargets(page)).map((target) => `${name}: ${target}`));
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((value) => {
      document.documentElement.dataset.theme = value;
    }, theme);
    breaches.push(
      ...(await accessibilityBreaches(page, rulesOf[theme])).map((breach) => `${name}, ${theme}: ${breach}`),
    );
    const directory = process.env.SCREENSHOTS;
    if (!directory) continue;
    const { width: before = 1440, height = 900 } = page.viewportSize() ?? {};
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: join(directory, `${name}-${theme}-${width}.png`) });
    }
    await page.setViewportSize({ width: before, height });
  }
  await page.evaluate(() => {
    document.documentElement.dataset.theme = 'light';
  });
  return breaches;
}

/** Signs in on the page that asks for it. */
export async function signIn(page: Page, username = 'admin', password = adminPassword): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
}

/** Presses the button of an open dialog. */
export const confirm = (page: Page, label: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();

/** The dialog over a page whose session has ended. */
export const reauthenticationOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Sign in again' });

/** Signs in again on a page whose session has ended. */
export async function signInAgain(page: Page, password = adminPassword): Promise<void> {
  await reauthenticationOf(page).getByLabel('Password').fill(password);
  await reauthenticationOf(page).getByRole('button', { name: 'Sign in and continue' }).click();
  await reauthenticationOf(page).waitFor({ state: 'detached' });
}

/** Waits until the open dialog has closed; messages that fly in are dialogs too, which are not modal. */
export const dialogClosed = (page: Page): Promise<void> =>
  page.locator('[role="dialog"]:not([aria-modal="false"])').waitFor({ state: 'detached' });

/** How long to wait for an option until it is checked whether its list has closed. In ms. */
const openListMs = 5_000 * slowness;

/** Chooses an option of a select by its value or its text. A page that renders again may close the list: it is opened again. */
export async function choose(field: Locator, option: string | { index: number }): Promise<void> {
  const list = field.page().getByRole('listbox');
  const options = list.getByRole('option');
  const byText = (text: string): Locator =>
    field
      .page()
      .locator(`[role=option][data-value=${JSON.stringify(text)}]`)
      .or(options.filter({ has: field.page().getByText(text, { exact: true }) }))
      .first();
  const wanted = typeof option === 'string' ? byText(option) : options.nth(option.index);
  for (const deadline = performance.now() + patienceMs; ; ) {
    if ((await list.count()) === 0) await field.click();
    const failure = await wanted.click({ timeout: openListMs }).then(
      () => undefined,
      (error: Error) => error,
    );
    if (!failure) return;
    // An open list without the option stays as it is.
    if ((await list.count()) > 0 || performance.now() > deadline) throw failure;
  }
}
