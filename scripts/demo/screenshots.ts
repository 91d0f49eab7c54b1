import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from '../../src/adapters/browser/screenshots.ts';
import { retry } from '../../src/lib/concurrency/retry.ts';
import { messageOf } from '../../src/lib/errors.ts';
import type { Stage } from './stage.ts';

/** Takes pictures of the dashboard. */
export interface Pictures {
  /** Saves `<name>.png` of a page once it shows this text. */
  take(name: string, path: string, shows: string): Promise<void>;
  close(): Promise<void>;
}

const size = { width: 1440, height: 900 };
const timeoutMs = 30_000;
const noPictures: Pictures = { take: async () => undefined, close: async () => undefined };

/** Pictures in a directory; none without a directory or without Chromium, which is said. */
export async function startPictures(
  { dashboardUrl, password }: Stage,
  directory: string | undefined,
  say: (text: string) => void,
): Promise<Pictures> {
  if (directory === undefined) return noPictures;
  const executablePath = await findChromium(process.env.CHROMIUM_PATH);
  if (executablePath === undefined) {
    say('No Chromium was found: there will be no screenshots.');
    return noPictures;
  }
  await mkdir(directory, { recursive: true });
  const { chromium } = await import('playwright-core');
  // The demo handles signals itself.
  const browser = await chromium.launch({
    executablePath,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const page = await browser.newPage({
    baseURL: dashboardUrl,
    viewport: size,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(timeoutMs);
  let signedIn = false;

  async function signIn(): Promise<void> {
    await page.goto('/');
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    signedIn = true;
  }

  return {
    async take(name, path, shows) {
      const show = async (): Promise<void> => {
        if (!signedIn) await signIn();
        await page.goto(path);
        await page.getByRole('main').getByText(shows).first().waitFor();
      };
      // Chromium breaks off requests when an interface of the host changes, as with every container that starts or stops.
      await retry(show, { delaysMs: [1_000, 3_000], isTransient: () => true }).catch((cause) => {
        throw new Error(`The page ${path} does not show “${shows}”: ${messageOf(cause).split('\n')[0]}`, { cause });
      });
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
      const file = join(directory, `${name}.png`);
      await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
      say(`Screenshot: ${file}`);
    },
    close: () => browser.close(),
  };
}
