import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Locator, type Page } from 'playwright-core';
import { freePort } from '../../scripts/demo/manager.ts';
import { type Findings, median, type Stage } from '../harness/harness.ts';
import { adminPassword, startManager } from '../harness/manager.ts';
import { seedStore } from '../harness/seed.ts';

declare const document: { querySelector(selector: string): { textContent: string } | null };
declare const requestAnimationFrame: (act: () => void) => void;

const tenants = 500;
const rounds = 15;
/** The first visits load code and data. */
const warmUps = 3;
const limitMs = 100;
const browserPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** The pages of the navigation by their links, in an order in which each change leads to another page. */
const pages = ['Tenants', 'Home', 'Incidents', 'Upgrades', 'Timeline', 'Audit log', 'System'] as const;

/** The sections of a tenant, in the same way. */
const sections = [
  ...['Deployments', 'Overview', 'Contact lists', 'Configuration', 'Logs'],
  ...['Metrics', 'Timeline', 'Theme', 'Backups'],
];

const heading = 'h1';
const currentSection = 'main nav [aria-current="page"]';

/** The time from a click on a link to the first frame with the page's heading and data, against the limit. */
export async function benchDashboard(stage: Stage): Promise<Findings | { skipped: string }> {
  if (!existsSync(browserPath)) return { skipped: `no Chromium at ${browserPath}` };
  const data = join(stage.directory, 'data');
  await seedStore(data, {
    count: tenants,
    ports: (index) => ({ frontend: 40_000 + 2 * index, backend: 40_001 + 2 * index }),
    deployed: false,
  });
  const port = await freePort(0);
  await startManager(stage, data, { DASHBOARD_PORT: String(port) });
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-quic'] });
  stage.defer(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`http://127.0.0.1:${port}/sign-in`);
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(adminPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  const times = new Map<string, number[]>();
  const navigation = page.getByRole('navigation').first();
  const tenant = 'Tenant 1';
  for (let round = -warmUps; round < rounds; round += 1) {
    const measure = async (link: Locator, mark: string, name: string, kept = name): Promise<void> => {
      const ms = await changeTo(page, link, mark, name);
      if (round >= 0) times.set(kept, [...(times.get(kept) ?? []), ms]);
    };
    for (const name of [...pages, 'Tenants']) await measure(navigation.getByRole('link', { name }), heading, name);
    await measure(page.getByRole('link', { name: tenant, exact: true }), heading, tenant, 'a tenant');
    for (const name of sections)
      await measure(page.locator('main nav').getByRole('link', { name }), currentSection, name, `its ${name}`);
  }
  const slowest = [...times].reduce((one, other) => (median(other[1]) > median(one[1]) ? other : one));
  return {
    verdicts: [
      {
        what: `slowest change of the page (to ${slowest[0]}) / ${limitMs} ms`,
        ratios: slowest[1].map((ms) => ms / limitMs),
        limit: { atMost: 1 },
      },
    ],
    lines: [
      `${tenants} tenants, Chromium, 1440 × 900, warm data; from the click to the frame that shows the heading and no placeholder`,
      ...[...times].map(
        ([name, all]) => `${name}: median ${median(all).toFixed(0)} ms, highest ${Math.max(...all).toFixed(0)} ms`,
      ),
    ],
  };
}

/** Clicks on a link. In ms until the page is painted: the element `mark` has its name, and no placeholder is left. */
async function changeTo(page: Page, link: Locator, mark: string, name: string): Promise<number> {
  const ms = await link.evaluate(
    (element, [selector, wanted]) =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        const isShown = (): boolean =>
          document.querySelector(selector)?.textContent === wanted &&
          !document.querySelector('main [aria-busy="true"]');
        const look = (): void => {
          // The frame is painted before the task after its callbacks.
          if (isShown()) setTimeout(() => resolve(performance.now() - began));
          else requestAnimationFrame(look);
        };
        (element as unknown as { click(): void }).click();
        requestAnimationFrame(look);
      }),
    [mark, name] as const,
  );
  // What the page asks for afterwards is no part of the next change.
  await page.waitForTimeout(300);
  return ms;
}
