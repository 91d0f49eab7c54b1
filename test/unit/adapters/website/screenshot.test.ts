import { spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createScreenshots, findChromium, type Screenshot } from '../../../../src/adapters/browser/screenshots.ts';
import { createConnect } from '../../../../src/lib/outbound-http/connect.ts';
import { describeWithChromium, processesLeft } from '../../../harness/browser/chromium.ts';
import { colourAt, imageInfo } from '../../../harness/data/pictures.ts';
import {
  privateAddress,
  publicAddress,
  resolver,
  sendHtml,
  startWebsite,
  type TestWebsite,
  testRule,
} from '../../../harness/servers/websites.ts';

// Each screenshot starts its own browser.
let directory: string;
let site: TestWebsite;
let inner: TestWebsite;
let secure: TestWebsite;
let udp: Socket;
const datagrams: Buffer[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-pictures-'));
  // As root, the browser runs as another user.
  await chmod(directory, 0o711);
  site = await startWebsite();
  inner = await startWebsite({ address: privateAddress });
  secure = await startWebsite({ tls: true });
  inner.put('/', '<title>the inside</title>');
  udp = createSocket('udp4').on('message', (message) => void datagrams.push(message));
  await new Promise<void>((resolve) => udp.bind(0, privateAddress, resolve));
});
afterAll(async () => {
  udp.close();
  await Promise.all([site, inner, secure].map((server) => server.stop()));
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  inner.asked.length = 0;
  datagrams.length = 0;
});

const lookup = resolver({
  'site.test': [[publicAddress]],
  'inside.test': [[privateAddress]],
  // Public for the page, private afterwards.
  'turning.test': [[publicAddress], [privateAddress]],
});
type Limits = NonNullable<Parameters<typeof createScreenshots>[0]['limits']>;
const screenshots = (limits: Limits = {}) =>
  createScreenshots({ connect: createConnect({ rule: testRule, lookup }), chromiumPath: undefined, directory, limits });

const capture = (address: string, limits?: Limits, signal = new AbortController().signal): Promise<Screenshot> =>
  screenshots(limits).capture(new URL(address), { signal });

const at = (path: string, host = 'site.test'): string => `http://${host}:${site.port}${path}`;

/** The browser leaves no process and no profile. */
async function expectNothingLeft(): Promise<void> {
  expect(await processesLeft(directory)).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
}

const page = (body: string): string => `<!doctype html><style>body{margin:0;background:#fff}</style>${body}`;
const bar = '<header style="background:#0a7d4f;height:100px"></header>';

describeWithChromium('screenshots', () => {
  test('shows a page as a browser does, with scripts and pictures', async () => {
    site.put(
      '/picture.svg',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'image/svg+xml' })
          .end('<svg xmlns="http://www.w3.org/2000/svg"><rect width="99" height="99" fill="#1234ab"/></svg>'),
    );
    site.put(
      '/',
      page(`${bar}<img src="/picture.svg" style="display:block;width:300px;height:150px"><script>
      document.body.append(Object.assign(document.createElement('div'), { style: 'background:#c0ffee;height:100px' }))</script>`),
    );
    const { png, finalUrl, refusedHosts } = await capture(at('/'));
    expect(await imageInfo(png)).toEqual({ format: 'png', width: 1280, height: 800 });
    expect(await colourAt(png, 640, 50)).toBe('#0a7d4f');
    expect(await colourAt(png, 50, 150)).toBe('#1234ab');
    expect(await colourAt(png, 640, 300)).toBe('#c0ffee');
    expect(finalUrl).toBe(at('/'));
    expect(refusedHosts).toEqual([]);
    await expectNothingLeft();
  });

  test('takes the screenshot, though requests to private addresses are blocked', async () => {
    const there = `http://${privateAddress}:${inner.port}`;
    const hostile = [
      `fetch('${there}/fetch', { mode: 'no-cors' })`,
      `fetch('http://localhost:${inner.port}/localhost', { mode: 'no-cors' })`,
      `fetch('http://[::1]:${inner.port}/six', { mode: 'no-cors' })`,
      `fetch('http://inside.test:${inner.port}/name', { method: 'POST', mode: 'no-cors', body: 'x' })`,
      `fetch('https://inside.test:${inner.port}/tls', { mode: 'no-cors' })`,
      `navigator.sendBeacon('${there}/beacon', 'x')`,
      `new WebSocket('ws://${privateAddress}:${inner.port}/socket')`,
      `new EventSource('${there}/events')`,
      `window.open('${there}/popup')`,
      `new Worker(URL.createObjectURL(new Blob(["fetch('${there}/worker', { mode: 'no-cors' })"])))`,
      `fetch('http://169.254.169.254/latest/meta-data/')`,
      `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${privateAddress}:${udp.address().port}' },
         { urls: 'turn:${privateAddress}:${udp.address().port}', username: 'u', credential: 'p' },
         { urls: 'turn:${privateAddress}:${inner.port}?transport=tcp', username: 'u', credential: 'p' }] });
       peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`,
      `Object.assign(document.createElement('a'), { href: 'data:application/zip,x', download: 'x' }).click()`,
    ];
    site.put(
      '/hostile',
      page(`${bar}<link rel="preconnect" href="${there}"><link rel="prefetch" href="${there}/prefetch">
      <link rel="stylesheet" href="${there}/style.css"><script src="http://inside.test:${inner.port}/script.js"></script>
      <img src="${there}/img.png"><iframe src="${there}/"></iframe><object data="${there}/object"></object>
      <form id="form" target="frame" action="${there}/form" method="post"></form><iframe name="frame"></iframe>
      <script>${hostile.map((line) => `try { ${line} } catch {}`).join('\n')}\nform.submit()</script>`),
    );
    const { png, refusedHosts } = await capture(at('/hostile'));
    expect(await colourAt(png, 640, 50)).toBe('#0a7d4f');
    expect(inner.asked).toEqual([]);
    expect(datagrams).toEqual([]);
    // Seen by the proxy: the browser tried it, and only through the proxy.
    expect(refusedHosts).toEqual(
      expect.arrayContaining([privateAddress, 'localhost', '::1', 'inside.test', '169.254.169.254']),
    );
    for (const host of refusedHosts)
      expect([privateAddress, 'localhost', '::1', 'inside.test', '169.254.169.254']).toContain(host);
  });

  test('blocks a name that resolves to a private address after the page has loaded', async () => {
    site.put('/turning', (_, response) => {
      response.setHeader('connection', 'close');
      sendHtml(
        response,
        page(`${bar}<script>
        const ask = () => fetch('http://turning.test:${inner.port}/secret', { mode: 'no-cors' });
        ask(); setTimeout(ask, 300)</script>`),
      );
    });
    const { refusedHosts } = await capture(at('/turning', 'turning.test'));
    expect(refusedHosts).toEqual(['turning.test']);
    expect(inner.asked).toEqual([]);
  });

  const leading: [string, () => string | RequestListener][] = [
    [
      'a redirect',
      () => (_, response) => void response.writeHead(302, { location: `http://inside.test:${inner.port}/` }).end(),
    ],
    ['a script', () => page(`<script>location.href = 'http://inside.test:${inner.port}/'</script>`)],
  ];
  test.each(leading)('takes no screenshot of a private page that %s leads to', async (_, answer) => {
    site.put('/away', answer());
    await expect(capture(at('/away'))).rejects.toMatchObject({
      name: 'ScreenshotFailed',
      message: `inside.test leads to ${privateAddress} (loopback) and is blocked by rule: only public addresses are asked`,
    });
    expect(inner.asked).toEqual([]);
  });

  test('reports why a page cannot be shown', async () => {
    site.put('/file', (_, response) => void response.writeHead(200, { 'content-type': 'application/zip' }).end('PK'));
    await expect(capture(at('/file'))).rejects.toThrow('The address leads to a file, not to a page');
    await expect(capture(at('/missing'))).rejects.toThrow('site.test answered with an error status');
    await expect(capture(`https://site.test:${secure.port}/`)).rejects.toThrow(/^TLS failed with site\.test/);
    await expect(capture('http://nowhere.test/')).rejects.toThrow(
      'The name nowhere.test does not resolve to an address',
    );
    site.put('/silent', () => undefined);
    await expect(capture(at('/silent'), { loadMs: 1_000 })).rejects.toThrow('site.test did not answer in time');
    expect(secure.asked).toEqual([]);
    await expectNothingLeft();
  });

  test('takes an endless page as far as it has loaded', async () => {
    const chunk = `<!--${'x'.repeat(64 * 1024)}-->`;
    site.put('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write(page(bar));
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      setTimeout(more, 300);
    });
    const { png } = await capture(at('/endless'), { bytes: 4 * 1024 ** 2, loadMs: 5_000 });
    expect(await colourAt(png, 640, 50)).toBe('#0a7d4f');
  });

  test('a page that never loads ends at the timeout, and so does its browser', async () => {
    site.put('/loop', page('<script>for (;;);</script>'));
    await expect(capture(at('/loop'), { totalMs: 6_000 })).rejects.toThrow('was not shown within 6 seconds');
    await expectNothingLeft();
  });

  test('cancelled work ends with its reason; the browser leaves nothing', async () => {
    const given = new AbortController();
    // Once the page is requested, the browser runs; a second request waits for it.
    site.put('/silent', () => given.abort(new Error('given up')));
    const one = screenshots();
    const both = [1, 2].map(() => one.capture(new URL(at('/silent')), { signal: given.signal }));
    for (const ending of await Promise.allSettled(both))
      expect(ending).toMatchObject({ reason: { message: 'given up' } });
    await expectNothingLeft();
  });

  test('the browser ends when the manager is killed', async () => {
    const asked = Promise.withResolvers<void>();
    site.put('/silent', () => asked.resolve());
    const script = join(import.meta.dirname, 'screenshot-manager.ts');
    const manager = spawn(process.execPath, [script, directory, `http://${publicAddress}:${site.port}/silent`], {
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: directory },
    });
    await asked.promise;
    manager.kill('SIGKILL');
    expect(await processesLeft(directory)).toEqual([]);
    // Its directories stay until they are old.
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true });
  });
});

test('reports that the machine has no browser', async () => {
  const none = createScreenshots({ connect: createConnect({ rule: testRule }), chromiumPath: '/nowhere/chromium' });
  expect(await findChromium('/nowhere/chromium')).toBeUndefined();
  const capturing = none.capture(new URL('http://site.test/'), { signal: new AbortController().signal });
  await expect(capturing).rejects.toThrow('No Chromium was found on this machine');
});
