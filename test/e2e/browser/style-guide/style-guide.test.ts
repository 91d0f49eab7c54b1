import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import sirv from 'sirv';
import { describeInBrowser, screen, visit } from '../../../harness/browser/browser.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const dashboard = join(root, 'dashboard');
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const run = promisify(execFile);
const pictures = import.meta.dirname;
/** Of the pixels: another release of Chromium draws some edges of letters differently. */
const mayDiffer = 0.001;

describeInBrowser('the style guide', () => {
  let directory: string;
  let server: Server;
  let page: Page;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-style-guide-'));
    // In a process of its own: Jest's module loader can't load the bundler.
    await run(process.execPath, [vite, 'build', dashboard, '--mode', 'styleguide', '--outDir', directory], {
      env: { ...process.env, NODE_ENV: 'production' },
    });
    server = createServer(sirv(directory)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ({ page } = await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    // What moves would be drawn at a random moment.
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
  afterAll(async () => {
    server?.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function open(theme: string, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/styleguide.html?theme=${theme}`);
    await page.getByRole('heading', { name: 'Style guide' }).waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
  }

  /** The share of pixels that differ from the kept picture. */
  async function difference(name: string): Promise<number> {
    const path = join(pictures, `${name}.png`);
    const taken = await page.screenshot({ fullPage: true });
    if (!existsSync(path))
      throw new Error(`${path} is missing: run the suite with UPDATE_PICTURES=true and look at it`);
    const [was, is] = await Promise.all([await readFile(path), taken].map(pixelsOf));
    if (!was || !is || was.info.width !== is.info.width || was.info.height !== is.info.height) return 1;
    const { width, height } = is.info;
    return pixelmatch(was.data, is.data, undefined, width, height, { threshold: 0.2 }) / (width * height);
  }
  const pixelsOf = (picture: Buffer) => sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });

  test.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
  ] as const)('looks as before: %s, %i px wide', async (theme, width) => {
    await open(theme, width);
    if (process.env.UPDATE_PICTURES)
      await page.screenshot({ fullPage: true, path: join(pictures, `${theme}-${width}.png`) });
    expect(await difference(`${theme}-${width}`)).toBeLessThan(mayDiffer);
  });

  test('a changed colour is noticed', async () => {
    await open('light', 1440);
    await page.evaluate("document.documentElement.style.setProperty('--danger-muted', 'rgb(255 170 160)')");
    await page.evaluate("document.documentElement.style.setProperty('--ink', 'rgb(15 107 92)')");
    expect(await difference('light-1440')).toBeGreaterThan(mayDiffer);
  });

  test('is accessible in both themes', async () => {
    await open('light', 1440);
    expect(await screen(page, 'style-guide')).toEqual([]);
  });
});
