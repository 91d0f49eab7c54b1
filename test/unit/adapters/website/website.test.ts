import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createWebsites } from '../../../../src/adapters/website/read-website.ts';
import type { Website, WebsiteLimits } from '../../../../src/adapters/website/website.ts';
import { addressRule } from '../../../../src/lib/outbound-http/address.ts';
import { createConnect } from '../../../../src/lib/outbound-http/connect.ts';
import type { OutboundProblem } from '../../../../src/lib/outbound-http/outbound-error.ts';
import {
  privateAddress,
  publicAddress,
  resolver,
  sendCss,
  sendHtml,
  startWebsite,
  type TestWebsite,
  testRule,
} from '../../../harness/servers/websites.ts';

let site: TestWebsite;
let inner: TestWebsite;
let secure: TestWebsite;

beforeAll(async () => {
  site = await startWebsite();
  inner = await startWebsite({ address: privateAddress });
  secure = await startWebsite({ tls: true });
  inner.put('/', '<title>the inside</title>');
});
afterAll(() => Promise.all([site, inner, secure].map((server) => server.stop())));

let connectedBefore = 0;
beforeEach(() => {
  connectedBefore = inner.connections();
});
/** It made no connection to an internal host, before any check. */
const expectNothingInside = (): void => expect(inner.connections()).toBe(connectedBefore);

const small = { pageBytes: 64 * 1024, stylesheetBytes: 16 * 1024, extraBytes: 40 * 1024 };
const names = resolver({
  'site.test': [[publicAddress]],
  'inside.test': [[privateAddress]],
  'both.test': [[privateAddress, publicAddress]],
  'mapped.test': [['::ffff:127.0.0.1']],
  'empty.test': [[]],
  // Public at the first lookup, private at the second.
  'turning.test': [[publicAddress], [privateAddress]],
});

function websites(limits: Partial<WebsiteLimits> = {}) {
  return createWebsites({ rule: testRule, connect: createConnect({ rule: testRule, lookup: names }), limits });
}

const read = (
  address: string,
  limits?: Partial<WebsiteLimits>,
  signal = new AbortController().signal,
): Promise<Website> => websites(limits).read(address, { signal });

/** Reads an address that cannot be read; returns the reason. */
async function refusal(address: string, limits?: Partial<WebsiteLimits>): Promise<[OutboundProblem, string]> {
  const error = await read(address, limits).then(
    (website) => new Error(`It was read: ${website.title}`),
    (reason) => reason,
  );
  return [error.problem, error.message];
}

const at = (path: string, host = 'site.test'): string => `http://${host}:${site.port}${path}`;
const redirect =
  (to: string, status = 302): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { location: to }).end();
/** Sends a body while the client reads it. */
const endless =
  (type: string, chunk: string, first = ''): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type });
    response.write(first);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };

describe('reading a website', () => {
  test('reads a whole page with its stylesheets, manifest and logos', async () => {
    site.put(
      '/full',
      `<!doctype html><html lang="de-AT"><head><title> Rote  Rüben &amp; Co </title>
      <meta name="theme-color" content="#b00020"><meta name="theme-color" media="(prefers-color-scheme: dark)" content="#300">
      <meta property="og:site_name" content="Rote Rüben"><meta name="description" content="Gemüse">
      <meta property="og:image" content="/preview.jpg"><link rel="manifest" href="/site.webmanifest">
      <link rel="icon" sizes="32x32" href="/icon.png"><link rel="apple-touch-icon" href="/touch.png">
      <link rel="stylesheet" href="/css/main.css"><style>h1 { color: var(--brand) }</style>
      <link rel="stylesheet" media="(prefers-color-scheme: dark)" href="/css/dark.css">
      <link rel="alternate stylesheet" href="/css/other.css"></head>
      <body class="home"><header id="top"><a href="/"><img src="/assets/logo.svg" alt="Rote Rüben" width="120"></a>
      <nav><a class="link" href="/about">Über uns</a></nav></header>
      <main><h1>Frisch</h1><a class="btn btn--primary" style="background:#b00020" href="/buy">Kaufen</a><script>secret()</script></main>
      <footer><svg class="logo"><path fill="#eee"/></svg></footer></body></html>`,
    );
    site.put('/css/main.css', (_, response) =>
      sendCss(response, '@import url("base.css") screen;\nbody{font-family:"Fira Sans",sans-serif}'),
    );
    site.put('/css/base.css', (_, response) =>
      sendCss(response, ':root{--brand:#b00020}code{font-family:Iosevka, monospace}'),
    );
    site.put('/css/dark.css', (_, response) => sendCss(response, 'body{background:#111}'));
    site.put(
      '/site.webmanifest',
      (_, response) =>
        void response.end(JSON.stringify({ theme_color: '#b00021', icons: [{ src: 'big.png', sizes: '512x512' }, 7] })),
    );
    site.put(
      '/assets/logo.svg',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'image/svg+xml' })
          .end('<svg xmlns="x"><path fill="#b00020"/></svg>'),
    );

    const website = await read(at('/full'));
    expect(website).toMatchObject({
      finalUrl: at('/full'),
      title: 'Rote Rüben & Co',
      siteName: 'Rote Rüben',
      description: 'Gemüse',
      fonts: ['Iosevka', 'Fira Sans'],
      omitted: [],
      themeColors: [
        { value: '#b00020', media: null, from: 'theme-color' },
        { value: '#300', media: '(prefers-color-scheme: dark)', from: 'theme-color' },
        { value: '#b00021', media: null, from: 'manifest' },
      ],
      stylesheets: [
        { url: at('/css/base.css'), media: 'screen', text: expect.stringContaining('--brand:#b00020') },
        { url: at('/css/main.css'), media: null },
        { url: null, text: 'h1 { color: var(--brand) }' },
        { url: at('/css/dark.css'), media: '(prefers-color-scheme: dark)' },
      ],
    });
    expect(website.logos).toEqual([
      { kind: 'logo', url: at('/assets/logo.svg'), svg: expect.stringContaining('<svg'), width: 120 },
      { kind: 'icon', url: at('/touch.png'), svg: null, width: 180 },
      { kind: 'icon', url: at('/icon.png'), svg: null, width: 32 },
      { kind: 'preview', url: at('/preview.jpg'), svg: null, width: null },
      { kind: 'icon', url: at('/big.png'), svg: null, width: 512 },
    ]);
    expect(website.html).toContain('Über uns');
  });

  test('writes an inline logo as a file of its own', async () => {
    site.put(
      '/inline',
      `<svg class=logo viewBox="0 0 9 9" @click=x><linearGradient id=a><stop stop-color="#b00020" offset=0></linearGradient>
      <use xlink:href="#a"/><text>a &amp; b</text><foreignObject><br></foreignObject></svg>`,
    );
    const [logo] = (await read(at('/inline'))).logos;
    expect(logo?.svg).toMatch(
      /^<svg xmlns="http:..www.w3.org.2000.svg" xmlns:xlink="[^"]+" class="logo" viewBox="0 0 9 9">/,
    );
    expect(logo?.svg).toContain('<linearGradient id="a"><stop stop-color="#b00020" offset="0"/></linearGradient>');
    expect(logo?.svg).toContain('<use xlink:href="#a"/><text>a &amp; b</text></svg>');
  });

  test('reads a page without anything', async () => {
    site.put('/bare', 'Hello');
    expect(await read(at('/bare'))).toEqual({
      finalUrl: at('/bare'),
      title: null,
      siteName: null,
      description: null,
      themeColors: [],
      logos: [],
      html: 'Hello',
      stylesheets: [],
      fonts: [],
      omitted: [],
    });
  });

  test.each([
    [
      'its header',
      'text/html; charset=iso-8859-1',
      Buffer.from('<title>Müller €</title>'.replace('€', ''), 'latin1'),
      'Müller',
    ],
    [
      'its meta element',
      'text/html',
      Buffer.from('<meta charset="windows-1251"><title>\xcc\xe8\xf0</title>', 'latin1'),
      'Мир',
    ],
    ['its byte order mark', 'text/html; charset=latin1', Buffer.from('\ufeff<title>Zoë</title>'), 'Zoë'],
    ['UTF-16', 'text/html', Buffer.from('\ufeff<title>Zoë</title>', 'utf16le'), 'Zoë'],
    ['a header of UTF-16', 'text/html; charset=UTF-16LE', Buffer.from('<title>Zoë</title>', 'utf16le'), 'Zoë'],
    ['its bytes: UTF-8', 'text/html', Buffer.from('<title>Zoë</title>'), 'Zoë'],
    ['its bytes: not UTF-8', 'text/html', Buffer.from('<title>Zo\xeb \x80</title>', 'latin1'), 'Zoë €'],
    ['an unknown header', 'text/html; charset=klingon', Buffer.from('<title>Zoë</title>'), 'Zoë'],
  ])('detects the encoding from %s', async (_, type, body, title) => {
    site.put('/encoded', (_request, response) => void response.writeHead(200, { 'content-type': type }).end(body));
    expect((await read(at('/encoded'))).title).toBe(title);
  });

  test('a byte order mark decides the encoding of a stylesheet', async () => {
    const css = 'a{font-family:"Zoë"}';
    const big = Buffer.from(`\ufeff${css}`, 'utf16le').swap16();
    for (const sheet of [Buffer.from(`\ufeff${css}`), Buffer.from(`\ufeff${css}`, 'utf16le'), big]) {
      site.put('/marked.css', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/css; charset=iso-8859-1' }).end(sheet);
      });
      site.put('/marked', (_, response) => sendHtml(response, '<link rel="stylesheet" href="/marked.css">'));
      expect((await read(at('/marked'))).stylesheets.map(({ text }) => text)).toEqual([css]);
    }
  });

  test.each([
    ['gzip', gzipSync('<title>packed</title>')],
    ['br', brotliCompressSync('<title>packed</title>')],
    ['deflate', deflateSync('<title>packed</title>')],
    ['deflate', deflateRawSync('<title>packed</title>')],
  ])('reads a response compressed with %s', async (coding, body) => {
    site.put(
      '/packed',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': coding }).end(body),
    );
    expect((await read(at('/packed'))).title).toBe('packed');
  });

  test('follows redirects, also of a meta element; addresses are relative to the last page', async () => {
    site.put('/a', redirect('/b', 301));
    site.put('/b', redirect(at('/c/d')));
    site.put('/c/d', '<meta http-equiv="refresh" content="0; url=e">');
    site.put('/c/e', '<base href="/f/"><link rel="icon" href="i.png">');
    const website = await read(at('/a'));
    expect(website.finalUrl).toBe(at('/c/e'));
    expect(website.logos[0]?.url).toBe(at('/f/i.png'));
  });

  test('reads a page that redirects to itself until it has its cookies; no other origin gets them', async () => {
    const asked: (string | undefined)[] = [];
    site.put('/wall', ({ headers }, response) => {
      asked.push(headers.cookie);
      if (headers.cookie?.includes('seen=1; b=x=y'))
        sendHtml(response, `<title>in</title><link rel="stylesheet" href="${at('/other.css', 'both.test')}">`);
      else response.writeHead(302, { location: '/wall', 'set-cookie': ['seen=1; Path=/; HttpOnly', 'b=x=y'] }).end();
    });
    site.put('/other.css', ({ headers }, response) => {
      asked.push(headers.cookie);
      sendCss(response, 'a{color:red}');
    });
    expect((await read(at('/wall'))).title).toBe('in');
    expect(asked).toEqual([undefined, 'seen=1; b=x=y', undefined]);
    asked.length = 0;
    await read(at('/wall'));
    expect(asked[0]).toBeUndefined();
  });

  test('uses stylesheets in the state that a page gives them after loading', async () => {
    const sheets = ['print', 'aside', 'truly-print'];
    for (const name of sheets) site.put(`/${name}.css`, (_, response) => sendCss(response, `.${name}{color:red}`));
    site.put(
      '/later',
      `<link rel="stylesheet" href="/print.css" media="print" onload="this.media='all'"><style>\n<![CDATA[a{color:red}]]></style>
      <link rel="preload" as="style" href="/aside.css" onload="this.onload=null;this.rel='stylesheet'">
      <link rel="preload" as="style" href="/hint.css"><link rel="stylesheet" href="/truly-print.css" media="print">`,
    );
    const { stylesheets } = await read(at('/later'));
    expect(stylesheets.map(({ text, media }) => [text, media])).toEqual([
      ['.print{color:red}', null],
      ['a{color:red}]]>', null],
      ['.aside{color:red}', null],
      ['.truly-print{color:red}', 'print'],
    ]);
  });

  test('reads a private address if it is allowed', async () => {
    const rule = addressRule({ allowPrivate: true });
    const open = createWebsites({ rule, connect: createConnect({ rule }) });
    expect((await open.read(inner.url, { signal: new AbortController().signal })).title).toBe('the inside');
  });

  test('fetches a picture under the same rules, up to its limit', async () => {
    const picture = (address: string) =>
      websites({ pictureBytes: 1_000 }).picture(address, { signal: new AbortController().signal });
    site.put('/logo.png', (_, response) => void response.writeHead(200).end(Buffer.from([1, 0, 2])));
    site.put('/large.png', (_, response) => void response.writeHead(200).end(Buffer.alloc(1_001)));
    site.put('/inside.png', redirect(`${inner.url}/`));
    expect([...(await picture(at('/logo.png')))]).toEqual([1, 0, 2]);
    await expect(picture(at('/large.png'))).rejects.toMatchObject({ problem: 'too_large' });
    await expect(picture(at('/inside.png'))).rejects.toMatchObject({ problem: 'blocked' });
    await expect(picture(`${inner.url}/`)).rejects.toMatchObject({ problem: 'blocked' });
    expectNothingInside();
  });

  test('connects to the public address of a name that has a private one too', async () => {
    site.put('/both', '<title>public</title>');
    expect((await read(at('/both', 'both.test'))).title).toBe('public');
    expectNothingInside();
  });
});

describe('reports why a website cannot be read', () => {
  test('a name that does not resolve', async () => {
    expect(await refusal('http://nowhere.test/')).toEqual([
      'unresolved',
      'The name nowhere.test does not resolve to an address',
    ]);
    expect((await refusal('http://empty.test/'))[0]).toBe('unresolved');
  });

  test('no listener', async () => {
    const gone = await startWebsite();
    await gone.stop();
    expect(await refusal(`http://site.test:${gone.port}/`)).toEqual([
      'refused',
      `site.test refused the connection on port ${gone.port}`,
    ]);
  });

  test('TLS: a self-signed certificate, and a server without TLS', async () => {
    expect(await refusal(`https://site.test:${secure.port}/`)).toEqual([
      'tls',
      'TLS failed with site.test: its certificate is self-signed',
    ]);
    expect((await refusal(`https://site.test:${site.port}/`))[0]).toBe('tls');
    expect(secure.asked).toEqual([]);
    const mute: Server = createServer((socket) => void socket.once('data', () => socket.end()));
    await new Promise<void>((resolve) => mute.listen(0, publicAddress, resolve));
    const { port } = mute.address() as { port: number };
    const message = `TLS failed with site.test on port ${port}: it could not agree on an encryption`;
    expect(await refusal(`https://site.test:${port}/`)).toEqual(['tls', message]);
    await new Promise((resolve) => mute.close(resolve));
  });

  test('a server that does not speak HTTP', async () => {
    const server: Server = createServer((socket) => void socket.resume().end('220 mail.example ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(0, publicAddress, resolve));
    const { port } = server.address() as { port: number };
    expect((await refusal(`http://site.test:${port}/`))[0]).toBe('broken');
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ['a picture', 'image/png', '\x89PNG', 'The address leads to image/png, not to an HTML page'],
    [
      'a PDF with the content type of a page',
      'text/html',
      '%PDF-1.7\n\x00\x01',
      'The address leads to a binary file, not to an HTML page',
    ],
    ['JSON', 'application/json; charset=utf-8', '{}', 'The address leads to application/json, not to an HTML page'],
  ])('%s', async (_, type, body, message) => {
    site.put(
      '/other',
      (_request, response) => void response.writeHead(200, { 'content-type': type }).end(body, 'latin1'),
    );
    expect(await refusal(at('/other'))).toEqual(['not_html', message]);
  });

  test('an error page', async () => {
    expect(await refusal(at('/missing'))).toEqual(['status', 'The page was answered with status 404 by site.test']);
  });

  test('too large: declared, endless, expanding, and endlessly compressed', async () => {
    site.put(
      '/large',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/html', 'content-length': 70_000 }).flushHeaders(),
    );
    site.put('/endless', endless('text/html', '<p>more</p>'.repeat(100)));
    const bomb = gzipSync(Buffer.alloc(50 * 1024 ** 2, ' '));
    site.put(
      '/bomb',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb),
    );
    const nothing = gzipSync('');
    site.put('/hollow', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      const more = (): void => {
        while (!response.destroyed && response.write(nothing));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    for (const path of ['/large', '/endless', '/bomb', '/hollow'])
      expect(await refusal(at(path), small)).toEqual(['too_large', 'The page is larger than 64 KB']);
  });

  test('badly compressed, cut off, or in an encoding that was not requested', async () => {
    const send = (path: string, coding: string, body: Buffer): void =>
      site.put(
        path,
        (_, response) =>
          void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': coding }).end(body),
      );
    send('/bad', 'gzip', Buffer.from('this is no gzip'));
    send('/odd', 'compress', Buffer.from('x'));
    site.put('/cut', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    for (const path of ['/bad', '/odd', '/cut']) expect((await refusal(at(path)))[0]).toBe('broken');
  });

  test('a page that never answers, and one that never ends', async () => {
    site.put('/silent', () => undefined);
    site.put('/drops', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    for (const path of ['/silent', '/drops'])
      expect(await refusal(at(path), { pageMs: 400 })).toEqual(['timeout', 'site.test did not send its page in time']);
  });

  test('a redirect loop', async () => {
    site.put('/round', redirect('/round'));
    site.asked.length = 0;
    expect(await refusal(at('/round'))).toEqual(['redirects', 'site.test redirects more than 5 times']);
    expect(site.asked).toHaveLength(6);
  });

  test('cancelled work ends with its own reason', async () => {
    site.put('/silent', () => undefined);
    const given = new AbortController();
    const reading = read(at('/silent'), {}, given.signal);
    setTimeout(() => given.abort(new Error('given up')), 50);
    await expect(reading).rejects.toThrow('given up');
  });
});

describe('private addresses are not requested', () => {
  const blocked = ['blocked', expect.stringContaining('blocked by rule')];

  test.each([
    ['a name that resolves to it', () => `http://inside.test:${inner.port}/`],
    ['a name that resolves to its IPv4-mapped address', () => `http://mapped.test:${inner.port}/`],
    ['the address itself', () => inner.url],
    ['a number', () => `http://2130706433:${inner.port}/`],
  ])('%s', async (_, address) => {
    expect(await refusal(address())).toEqual(blocked);
    expectNothingInside();
  });

  test.each([
    ['an address', () => inner.url],
    ['a name', () => `http://inside.test:${inner.port}/`],
    ['an address in hexadecimal', () => `//0x7f000001:${inner.port}/`],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a file', () => 'file:///etc/passwd'],
    ['credentials', () => `http://admin:admin@site.test:${site.port}/`],
  ])('a redirect to %s', async (_, to) => {
    site.put('/away', redirect(to()));
    site.put('/meta', `<meta http-equiv="refresh" content="0;url=${to()}">`);
    expect((await refusal(at('/away')))[0]).toMatch(/^(blocked|bad_address)$/);
    expectNothingInside();
  });

  test('a redirect of a meta element', async () => {
    site.put('/meta', `<meta http-equiv="refresh" content="0;url=${inner.url}/">`);
    expect(await refusal(at('/meta'))).toEqual(blocked);
    expectNothingInside();
  });

  test('a name that resolves differently the second time', async () => {
    // The first connection is closed, so that the stylesheet needs another.
    site.put('/turning', (_, response) => {
      response.setHeader('connection', 'close');
      sendHtml(response, `<title>t</title><link rel="stylesheet" href="http://turning.test:${inner.port}/style.css">`);
    });
    inner.put('/style.css', (_, response) => sendCss(response, 'a{color:red}'));
    const website = await read(at('/turning', 'turning.test'));
    expect(website.title).toBe('t');
    expect(website.stylesheets).toEqual([]);
    expect(website.omitted).toEqual([
      expect.stringContaining('turning.test leads to 127.0.0.1 (loopback) and is blocked by rule'),
    ]);
    expectNothingInside();
  });

  test('stylesheets, their imports and redirects, the manifest, logos', async () => {
    const there = `http://inside.test:${inner.port}`;
    site.put(
      '/parts',
      `<title>parts</title><link rel="stylesheet" href="${inner.url}/a.css"><link rel="stylesheet" href="${there}/b.css">
      <link rel="stylesheet" href="/imports.css"><link rel="stylesheet" href="/redirects.css"><style>@import '${there}/c.css';</style>
      <link rel="stylesheet" href="file:///etc/passwd"><link rel="manifest" href="${there}/manifest.json">
      <header><img class="logo" src="${there}/logo.svg"></header>`,
    );
    site.put('/imports.css', (_, response) => sendCss(response, `@import "${inner.url}/d.css"; a{color:red}`));
    site.put('/redirects.css', redirect(`${there}/e.css`));
    const website = await read(at('/parts'));
    expectNothingInside();
    expect(website.stylesheets.map(({ text }) => text)).toEqual([
      expect.stringContaining('a{color:red}'),
      expect.stringContaining('c.css'),
    ]);
    expect(website.omitted).toHaveLength(7);
    for (const why of website.omitted) expect(why).toContain('blocked by rule');
  });
});

describe('parts of a page that cannot be read', () => {
  test('are skipped and reported', async () => {
    site.put(
      '/parts',
      `<link rel="stylesheet" href="/missing.css"><link rel="stylesheet" href="/endless.css">
      <link rel="stylesheet" href="/page.css"><link rel="stylesheet" href="/good.css">
      <link rel="manifest" href="/manifest.json">`,
    );
    site.put('/endless.css', endless('text/css', 'a{color:red}'.repeat(100)));
    site.put('/page.css', '<title>Not found</title>');
    site.put('/good.css', (_, response) => sendCss(response, 'b{color:blue}'));
    site.put('/manifest.json', (_, response) => void response.end('nonsense'));
    const website = await read(at('/parts'), small);
    expect(website.stylesheets.map(({ text }) => text)).toEqual(['b{color:blue}']);
    expect(website.omitted.sort()).toEqual([
      `Stylesheet ${at('/endless.css')} was left out: The stylesheet is larger than 16 KB`,
      `Stylesheet ${at('/missing.css')} was left out: The stylesheet was answered with status 404 by site.test`,
      `Stylesheet ${at('/page.css')} was left out: it is text/html, not CSS`,
      'The manifest is no JSON of the usual form',
    ]);
  });

  test('slow ones do not delay the page', async () => {
    site.put('/waiting', '<title>w</title><link rel="stylesheet" href="/never.css">');
    site.put('/never.css', () => undefined);
    const website = await read(at('/waiting'), { extrasMs: 400 });
    expect(website).toMatchObject({ title: 'w', stylesheets: [] });
    expect(website.omitted).toEqual([expect.stringContaining('there was no time left for it')]);
  });

  test('limits stylesheets in number and total size; import loops end', async () => {
    const hrefs = Array.from({ length: 30 }, (_, number) => `/many-${number}.css`);
    site.put('/many', hrefs.map((href) => `<link rel="stylesheet" href="${href}">`).join(''));
    for (const href of hrefs) site.put(href, (_, response) => sendCss(response, ' '.repeat(10 * 1024)));
    const few = await read(at('/many'), { stylesheets: 10 });
    expect(few.stylesheets).toHaveLength(10);
    expect(few.omitted).toContain('More than 10 stylesheets: the others were not read');
    const bounded = await read(at('/many'), small);
    expect(bounded.stylesheets.length).toBeLessThan(9);

    site.put('/circle', '<link rel="stylesheet" href="/x.css">');
    site.put('/x.css', (_, response) => sendCss(response, '@import "y.css"; x{}'));
    site.put('/y.css', (_, response) => sendCss(response, '@import "x.css"; y{}'));
    expect((await read(at('/circle'))).stylesheets.map(({ text }) => text.slice(-3))).toEqual(['y{}', 'x{}']);
  });
});

describe('malicious pages', () => {
  test('reads endless nesting as far as browsers nest', async () => {
    site.put(
      '/deep',
      `<title>deep</title><link rel="icon" href="/seen">${'<div>'.repeat(100_000)}<link rel="icon" href="/unseen">`,
    );
    const website = await read(at('/deep'));
    expect(website).toMatchObject({ title: 'deep', logos: [{ url: at('/seen') }] });
    expect(website.logos).toHaveLength(1);
    expect(website.omitted).toEqual(['The page is nested too deeply: its end was not read']);
  });

  test('limits numbers of elements, styles and pictures', async () => {
    const many = ['<a href="/x">x</a>', '<button>x</button>', '<style>a{}</style>', '<img class="logo" src="/x.png">'];
    site.put('/many-parts', many.map((one) => one.repeat(5_000)).join(''));
    const website = await read(at('/many-parts'));
    expect(website.stylesheets).toHaveLength(500);
    expect(website.logos).toHaveLength(1);
  });

  test('a stylesheet of nothing but brackets, one of nothing but imports', async () => {
    site.put(
      '/odd-css',
      '<link rel="stylesheet" href="/brackets.css"><link rel="stylesheet" href="/imports-only.css">',
    );
    site.put('/brackets.css', (_, response) => sendCss(response, `a{font-family:${'('.repeat(1_000_000)}`));
    site.put('/imports-only.css', (_, response) => sendCss(response, '@import "/missing.css";'.repeat(50_000)));
    const website = await read(at('/odd-css'));
    expect(website.stylesheets).toHaveLength(2);
    expect(website.fonts).toEqual([]);
  });
});
