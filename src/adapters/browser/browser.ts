import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserServer } from 'playwright-core';
import { retry } from '../../lib/concurrency/retry.ts';
import { signalGroup } from '../../lib/concurrency/running-programs.ts';
import { messageOf } from '../../lib/errors.ts';
import { chown, mkdtemp, rm } from '../../lib/files/changes.ts';
import { browserArguments } from './browser-arguments.ts';

const pictureSize = { width: 1280, height: 800 } as const;
/** More than the size of this picture uncompressed. */
const maxBytes = 5 * 1024 ** 2;
/** After the page has loaded, its scripts may request more, such as pictures and fonts. */
const quietMs = 2_000;

/**
 * Opens the page and takes a screenshot of its visible part.
 * @param loadMs what has not loaded by then is missing
 * @throws playwright's errors
 */
export async function takePicture(context: BrowserContext, address: URL, loadMs: number) {
  const page = await context.newPage();
  context.on('page', (popup) => void popup.close().catch(() => undefined));
  // Chromium breaks off requests when an interface of the host changes, as with every container that starts or stops.
  const response = await retry(() => page.goto(address.href, { waitUntil: 'commit', timeout: loadMs }), {
    delaysMs: [250, 1_000, 2_000],
    isTransient: (error) => messageOf(error).includes('ERR_NETWORK_CHANGED'),
  });
  // The browser's error for an empty answer.
  if (response && response.status() >= 400) throw new Error('net::ERR_HTTP_RESPONSE_CODE_FAILURE');
  await page.waitForLoadState('load', { timeout: loadMs }).catch(() => undefined);
  await page.waitForLoadState('networkidle', { timeout: quietMs }).catch(() => undefined);
  // A script may have redirected to an address that was refused.
  if (page.url().startsWith('chrome-error:')) throw new Error('the page ended in chrome-error');
  const png = await page.screenshot({ type: 'png', animations: 'disabled', timeout: loadMs });
  if (png.length > maxBytes) throw new Error('the picture is larger than 5 MB');
  return { png, finalUrl: page.url() };
}

export interface Browser {
  context: BrowserContext;
  sandboxed: boolean;
  /** Ends the browser and all of its children at once, and removes its profile. Never fails. */
  end(): Promise<void>;
}

interface BrowserOptions {
  program: string;
  proxyPort: number;
  directory: string | undefined;
  /** Ends the browser. */
  signal: AbortSignal;
}

const launchMs = 20_000;
const profilePrefix = 'tenantry-browser-';
/** No browser lives that long: older ones were left by a killed manager. */
const staleMs = 60 * 60_000;

/**
 * Starts a browser with its own profile. Chromium's sandbox does not work for root, so root runs it as an unprivileged user. If
 * the kernel denies it namespaces (as in containers, usually) it runs without the sandbox, which is reported.
 * @throws playwright's errors
 */
export async function openBrowser(options: BrowserOptions): Promise<Browser> {
  const { program, proxyPort, directory = tmpdir(), signal } = options;
  await removeStale(directory);
  const profile = await mkdtemp(join(directory, profilePrefix));
  let server: BrowserServer | undefined;
  const kill = async (): Promise<void> => {
    const pid = server?.process().pid;
    await server?.kill().catch(() => undefined);
    // Once more, for children that started in the meantime.
    signalGroup(pid, 'SIGKILL');
  };
  const onAbort = (): void => void kill();
  const end = async (): Promise<void> => {
    signal.removeEventListener('abort', onAbort);
    await kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  };
  try {
    // Loaded on first use: most installations never take a screenshot.
    const { chromium } = await import('playwright-core');
    const command = await commandFor(program, profile);
    const launch = (sandboxed: boolean): Promise<BrowserServer> =>
      chromium.launchServer({
        executablePath: command.file,
        args: [...command.args, ...browserArguments(profile, proxyPort, sandboxed)],
        ignoreDefaultArgs: true,
        // Nothing of the manager's environment, which contains secrets.
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: profile, TMPDIR: profile, LANG: 'C.UTF-8' },
        timeout: launchMs,
        artifactsDir: profile,
        host: '127.0.0.1',
        // The manager handles signals itself.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
    let { sandboxed } = command;
    server = await launch(sandboxed).catch((error: unknown) => {
      if (!sandboxed || signal.aborted || !/sandbox|EPERM|namespace/i.test(messageOf(error))) throw error;
      sandboxed = false;
      return launch(false);
    });
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    const browser = await chromium.connect(server.wsEndpoint(), { timeout: launchMs });
    const context = await browser.newContext({
      viewport: pictureSize,
      acceptDownloads: false,
      serviceWorkers: 'block',
      reducedMotion: 'reduce',
      colorScheme: 'light',
      locale: 'en-GB',
    });
    return { context, sandboxed, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Whether this file may be run. */
export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** `nobody`, on Linux. */
const unprivilegedUser = 65_534;
const setpriv = '/usr/bin/setpriv';

/** How root starts the browser as an unprivileged user that then owns the profile. */
async function commandFor(program: string, profile: string) {
  if (process.getuid?.() !== 0) return { file: program, args: [], sandboxed: true };
  if (!(await isExecutable(setpriv))) return { file: program, args: [], sandboxed: false };
  await chown(profile, unprivilegedUser, unprivilegedUser);
  const identity = [`--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups', '--no-new-privs'];
  return { file: setpriv, args: [...identity, '--', program], sandboxed: true };
}

/** Removes profiles that a killed manager left. */
async function removeStale(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name);
    const facts = name.startsWith(profilePrefix) ? await stat(path).catch(() => undefined) : undefined;
    if (facts && Date.now() - facts.mtimeMs > staleMs)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
