import PQueue from 'p-queue';
import { messageOf } from '../../lib/errors.ts';
import type { Connect } from '../../lib/outbound-http/connect.ts';
import { type ForwardProxy, startForwardProxy } from '../../lib/outbound-http/forward-proxy.ts';
import { type Browser, isExecutable, openBrowser, takePicture } from './browser.ts';

/** Usual paths of distributions and vendors. Not Snap's: it can't run in our directories. */
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/usr/lib/chromium/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of an executable Chromium; undefined if none is found. @param named the operator's path, the only one checked */
export async function findChromium(named: string | undefined): Promise<string | undefined> {
  for (const path of named === undefined ? usualPaths : [named]) {
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/** A screenshot failed; `message` is one plain sentence for the user. */
export class ScreenshotFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ScreenshotFailed';
  }
}

export interface Screenshot {
  /** 1280 × 800 pixels, at most 5 MB. */
  png: Buffer;
  /** The address after redirects and scripts. */
  finalUrl: string;
  /** False when this machine allows Chromium no sandbox: the operator should know. */
  sandboxed: boolean;
  /** Hosts that the page requested and a rule refused. */
  refusedHosts: string[];
}

/** Takes screenshots of untrusted websites. */
export interface Screenshots {
  /**
   * Opens a page in its own browser and takes a screenshot of its visible part. The page's scripts run: `connect` makes each
   * connection of the browser. The browser and its children have ended when this settles.
   * @throws ScreenshotFailed; the signal's reason when aborted
   */
  capture(address: URL, options: { signal: AbortSignal }): Promise<Screenshot>;
}

interface ScreenshotsOptions {
  /** Connects by the address rule. */
  connect: Connect;
  /** Chromium's path; undefined: the usual paths. */
  chromiumPath: string | undefined;
  /** Directory of temporary profiles; all users must be able to pass through it. Default: the system's. */
  directory?: string;
  limits?: Partial<typeof usualLimits>;
}

const usualLimits = {
  totalMs: 45_000,
  /** Time limit for loading; then the page is captured as it is. */
  loadMs: 12_000,
  bytes: 40 * 1024 ** 2,
  connections: 100,
};

/** @see Screenshots */
export function createScreenshots(options: ScreenshotsOptions): Screenshots {
  const limits = { ...usualLimits, ...options.limits };
  // One browser takes up to half a gigabyte.
  const queue = new PQueue({ concurrency: 1 });

  async function capture(address: URL, outer: AbortSignal): Promise<Screenshot> {
    outer.throwIfAborted();
    const program = await findChromium(options.chromiumPath);
    if (program === undefined) throw new ScreenshotFailed('No Chromium was found on this machine');
    const late = new AbortController();
    const slow = new ScreenshotFailed(`${address.host} was not shown within ${limits.totalMs / 1000} seconds`);
    const timer = setTimeout(() => late.abort(slow), limits.totalMs);
    const signal = AbortSignal.any([outer, late.signal]);
    const { bytes: maxBytes, connections: maxConnections } = limits;
    const proxy = await startForwardProxy({ connect: options.connect, maxBytes, maxConnections });
    let browser: Browser | undefined;
    try {
      browser = await openBrowser({ program, proxyPort: proxy.port, directory: options.directory, signal });
      proxy.begin();
      const picture = await takePicture(browser.context, address, limits.loadMs);
      signal.throwIfAborted();
      const refusedHosts = [...new Set(proxy.refusals.map(({ host }) => host))];
      return { ...picture, sandboxed: browser.sandboxed, refusedHosts };
    } catch (error) {
      // A killed browser's error is irrelevant: the reason is why it was killed.
      signal.throwIfAborted();
      throw explained(error, address, proxy);
    } finally {
      clearTimeout(timer);
      await browser?.end();
      await proxy.close();
    }
  }

  return {
    // The queue does not get the signal: it would not wait for a browser that is being ended.
    capture: (address, { signal }) => queue.add(() => capture(address, signal)),
  };
}

/** The browser's error in plain words, or our proxy's reason if it refused the page itself. */
function explained(error: unknown, { hostname }: URL, proxy: ForwardProxy): ScreenshotFailed {
  const text = messageOf(error);
  const code = /net::(ERR_\w+)/.exec(text)?.[1] ?? '';
  const refused = proxy.refusals.at(-1);
  const reason = (): string => {
    if (refused && /TUNNEL|EMPTY_RESPONSE|PROXY|SOCKET|CONNECTION|chrome-error/.test(`${code} ${text}`))
      return messageOf(refused.error);
    if (code === 'ERR_HTTP_RESPONSE_CODE_FAILURE') return `${hostname} answered with an error status`;
    if (/^ERR_(CERT|SSL)/.test(code)) return `TLS failed with ${hostname}: ${code}`;
    if (text.includes('Download is starting')) return 'The address leads to a file, not to a page';
    if (/Timeout \d+ms exceeded/.test(text)) return `${hostname} did not answer in time`;
    return `${hostname} could not be shown: ${code || text.split('\n')[0]?.slice(0, 200)}`;
  };
  return new ScreenshotFailed(reason(), error);
}
