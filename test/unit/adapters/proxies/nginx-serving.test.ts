import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { ReverseProxy, Site } from '../../../../src/adapters/proxies/proxy.ts';
import { describeWithNginx, TestNginx } from '../../../harness/proxy/nginx.ts';
import { certificateTls, makeCertificate, makeSite, siteWork } from '../../../harness/proxy/sites.ts';
import { type Echo, startUpstream, type Upstream } from '../../../harness/proxy/upstream.ts';
import { visit } from '../../../harness/proxy/visitor.ts';

const mebibyte = 1024 * 1024;

describeWithNginx('sites served by nginx', () => {
  let nginx: TestNginx;
  let proxy: ReverseProxy;
  let upstream: Upstream;
  let plain: Site;
  let secure: Site;

  beforeAll(async () => {
    nginx = await TestNginx.create();
    upstream = await startUpstream('app');
    proxy = await nginx.proxy();
    await nginx.start();
    plain = makeSite('plain', upstream.port);
    secure = makeSite('secure', upstream.port);
    const certificate = await makeCertificate('secure.example');
    await proxy.putCertificate(secure.tenant, certificate);
    secure = makeSite('secure', upstream.port, { tls: certificateTls(certificate), hstsSeconds: 31_536_000 });
    await Promise.all([
      proxy.apply(plain, siteWork()),
      proxy.apply(secure, siteWork()),
      proxy.apply(makeSite('down', 1), siteWork()),
      proxy.apply(makeSite('nameless', 3000, { upstreamHost: 'no-such-unit' }), siteWork()),
    ]);
  });
  afterAll(async () => {
    await proxy?.close();
    await upstream?.close();
    await nginx?.destroy();
  });

  const echoOf = (text: string): Echo => JSON.parse(text);

  test('passes the client address of the connection, not the one the client claims', async () => {
    const claimed = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9;host=evil.example',
      proxy: 'http://evil.example',
    };
    const { headers } = echoOf((await visit(nginx.httpPort, 'plain.example', { headers: claimed })).text);
    expect(headers).toMatchObject({
      host: `plain.example:${nginx.httpPort}`,
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `plain.example:${nginx.httpPort}`,
    });
    expect(headers).not.toHaveProperty('forwarded');
    expect(headers).not.toHaveProperty('proxy');
    const overTls = await visit(nginx.httpsPort, 'secure.example', { tls: {} });
    expect(echoOf(overTls.text).headers).toMatchObject({ 'x-forwarded-proto': 'https' });
  });

  test('passes the path to the application unchanged', async () => {
    const path = '/a%2Fb//c/../d;x=1?q=%20&r=%2B';
    for (const { domain } of Object.values(plain.hosts)) {
      expect(echoOf((await visit(nginx.httpPort, domain, { path })).text).url).toBe(path);
    }
  });

  test('redirects http to https with 308 if TLS is on, except challenges and the revision', async () => {
    const { status, headers } = await visit(nginx.httpPort, 'api.secure.example', { path: '/x?y=1', method: 'POST' });
    expect(status).toBe(308);
    expect(headers.location).toBe(`https://api.secure.example:${nginx.httpsPort}/x?y=1`);
    await proxy.challenges?.put('abc', 'abc.def');
    const challenge = await visit(nginx.httpPort, 'secure.example', { path: '/.well-known/acme-challenge/abc' });
    expect(challenge).toMatchObject({ status: 200, text: 'abc.def' });
    const revision = await visit(nginx.httpPort, 'secure.example', { path: '/.well-known/tenantry/revision' });
    expect(revision).toMatchObject({ status: 200, text: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  test('sends Strict-Transport-Security over TLS only, and only if it is enabled', async () => {
    const name = 'strict-transport-security';
    expect((await visit(nginx.httpsPort, 'secure.example', { tls: {} })).headers[name]).toBe('max-age=31536000');
    expect((await visit(nginx.httpPort, 'secure.example')).headers).not.toHaveProperty(name);
    expect((await visit(nginx.httpPort, 'plain.example')).headers).not.toHaveProperty(name);
    const without = { ...secure, hstsSeconds: 0 };
    expect(proxy.render(without).text).not.toContain('Strict-Transport-Security');
  });

  test('serves TLS 1.2 and 1.3 with the site’s certificate; rejects older versions, weak ciphers and unknown names', async () => {
    const tls = secure.hosts.frontend.tls;
    const fingerprint = tls?.kind === 'certificate' ? tls.fingerprint : 'none';
    for (const domain of ['secure.example', 'api.secure.example']) {
      expect((await visit(nginx.httpsPort, domain, { tls: {} })).tls).toEqual({ protocol: 'TLSv1.3', fingerprint });
    }
    const older = await visit(nginx.httpsPort, 'secure.example', { tls: { maxVersion: 'TLSv1.2' } });
    expect(older.tls).toEqual({ protocol: 'TLSv1.2', fingerprint });
    const oldest = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(visit(nginx.httpsPort, 'secure.example', { tls: oldest })).rejects.toThrow();
    const weak = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA' } as const;
    await expect(visit(nginx.httpsPort, 'secure.example', { tls: weak })).rejects.toThrow();
    await expect(visit(nginx.httpsPort, 'unknown.example', { tls: {} })).rejects.toThrow(/unrecognized name/i);
    await expect(visit(nginx.httpsPort, 'plain.example', { tls: {} })).rejects.toThrow(/unrecognized name/i);
  });

  test('serves HTTP/2', async () => {
    const session = connectHttp2(`https://127.0.0.1:${nginx.httpsPort}`, {
      servername: 'secure.example',
      rejectUnauthorized: false,
    });
    const stream = session.request({ ':path': '/over-h2', ':authority': `secure.example:${nginx.httpsPort}` });
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    expect(session.alpnProtocol).toBe('h2');
    expect(echoOf(text)).toMatchObject({ name: 'app', url: '/over-h2' });
    session.close();
  });

  test.each([false, true])('proxies a WebSocket (TLS: %s)', async (tls) => {
    const [scheme, port] = tls ? ['wss', nginx.httpsPort] : ['ws', nginx.httpPort];
    const domain = tls ? 'api.secure.example' : 'api.plain.example';
    const socket = new WebSocket(`${scheme}://127.0.0.1:${port}/socket`, {
      headers: { host: domain },
      ...(tls ? { servername: domain, rejectUnauthorized: false } : {}),
    });
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('app: hello');
    socket.close();
    await once(socket, 'close');
  });

  test('streams an upload of 100 MB to the application without buffering it', async () => {
    const chunk = Buffer.alloc(mebibyte, 'x');
    const body = Readable.from(
      (function* () {
        for (let sent = 0; sent < 100; sent += 1) yield chunk;
      })(),
    );
    const { status, text } = await visit(nginx.httpPort, 'api.plain.example', {
      path: '/upload',
      method: 'POST',
      body,
      headers: { 'content-type': 'text/csv' },
    });
    expect(status).toBe(200);
    expect(echoOf(text)).toMatchObject({ method: 'POST', bytes: 100 * mebibyte });
    for (const peak of await nginx.peakMemory()) expect(peak).toBeLessThan(60 * mebibyte);
  });

  test('passes the first part of an upload to the application before the last is sent', async () => {
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    upstream.onBody = () => arrived?.();
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(mebibyte);
        await arrival;
        yield Buffer.alloc(mebibyte);
      })(),
    );
    const { text } = await visit(nginx.httpPort, 'plain.example', { method: 'PUT', body });
    expect(echoOf(text).bytes).toBe(2 * mebibyte);
  });

  test('rejects more than 256 MB', async () => {
    const headers = { 'content-length': String(257 * mebibyte) };
    expect((await visit(nginx.httpPort, 'plain.example', { method: 'POST', headers })).status).toBe(413);
  });

  test('compresses text for clients that accept it, and leaves short responses uncompressed', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const large = await visit(nginx.httpPort, 'plain.example', { path: '/large', headers });
    expect(large.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(large.body.length).toBeLessThan(10_000);
    const plainly = await visit(nginx.httpPort, 'plain.example', { path: '/large' });
    expect(plainly.body.length).toBe(100_008);
    const short = await visit(nginx.httpPort, 'plain.example', { path: '/status/200', headers });
    expect(short.headers).not.toHaveProperty('content-encoding');
  });

  test.each(['down', 'nameless'])(
    'shows an error page, or JSON from the API, for a tenant that does not answer (%s)',
    async (slug) => {
      const page = await visit(nginx.httpPort, `${slug}.example`);
      expect(page.status).toBe(502);
      expect(page.headers).toMatchObject({
        'content-type': expect.stringContaining('text/html'),
        'retry-after': '10',
        'cache-control': 'no-store',
      });
      expect(page.text).toMatch(/^<!doctype html>\n<html lang="en">[\s\S]*color-scheme: light dark[\s\S]*<h1>/);
      expect(page.text).not.toMatch(/src=|href=|url\(|@import/);

      const api = await visit(nginx.httpPort, `api.${slug}.example`, { method: 'POST' });
      expect(api.status).toBe(502);
      expect(api.headers).toMatchObject({ 'content-type': 'application/json', 'retry-after': '10' });
      expect(JSON.parse(api.text)).toEqual({
        error: expect.any(String),
        detail: expect.any(String),
        code: 'application_unreachable',
        status: 502,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
      });
    },
  );

  test.each([500, 502, 503, 504, 404, 418])('never replaces the application’s own %i', async (status) => {
    const own = await visit(nginx.httpPort, 'plain.example', { path: `/status/${status}` });
    expect(own).toMatchObject({ status, text: `the application’s own ${status}` });
    expect(own.headers).not.toHaveProperty('retry-after');
  });

  test('shows unknown hosts an error page without nginx’s version', async () => {
    const unknown = await visit(nginx.httpPort, 'unknown.example');
    expect(unknown).toMatchObject({ status: 404, text: 'There is no site of this name here.\n' });
    expect(unknown.headers.server).toBe('nginx');
    expect((await visit(nginx.httpPort, 'down.example')).headers.server).toBe('nginx');
    const misdirected = await visit(nginx.httpsPort, 'unknown.example', { tls: { servername: 'secure.example' } });
    expect(misdirected.status).toBe(421);
  });

  test('tests and starts with an upstream name that does not resolve', async () => {
    expect(await proxy.test()).toMatchObject({ valid: true });
    await nginx.stop();
    await nginx.start();
    expect((await visit(nginx.httpPort, 'plain.example')).status).toBe(200);
    expect(await proxy.availability()).toMatchObject({ available: true });
  });

  test('only the master process reads certificates, and no site file contains their keys', async () => {
    const { text } = proxy.render(secure);
    const [, key = ''] = /ssl_certificate_key (\S+);/.exec(text) ?? [];
    expect(await nginx.modeOf(key)).toBe('600');
    expect(await nginx.modeOf(key.replace(/\/[^/]+$/, ''))).toBe('700');
    expect(await readFile(key, 'utf8')).toContain('PRIVATE KEY');
    expect(text).not.toContain('PRIVATE KEY');
  });
});
