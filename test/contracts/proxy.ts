import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isAbsolute } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import type { ReverseProxy, Site } from '../../src/adapters/proxies/proxy.ts';
import { poll } from '../../src/lib/concurrency/poll.ts';
import { patienceMs } from '../harness/patience.ts';
import { canLosePackets, losePackets } from '../harness/proxy/lost-packets.ts';
import { certificateTls, makeCertificate, makeSite, siteWork } from '../harness/proxy/sites.ts';
import { startUpstream, type Upstream } from '../harness/proxy/upstream.ts';
import { keepVisiting, visit } from '../harness/proxy/visitor.ts';

/** The address of a front proxy that the adapters' proxies trust. */
export const front = '127.0.0.9';

/** The environment of an adapter. */
export interface ProxyHarness {
  /** An opened adapter; a second one stands for a restarted manager. */
  open(): Promise<ReverseProxy>;
  /** The proxy's port on 127.0.0.1; undefined if there is none: then only files are checked. */
  serves: { httpPort: number; httpsPort: number } | undefined;
  /** It notices by the health page, after seconds, that an address does not answer. */
  asksHealth?: boolean;
  close(): Promise<void>;
}

/** Values that have a meaning in some syntax if they are not escaped. */
const hostileNames = [
  '',
  'a b.example',
  'a;.example',
  'a.example; return 200 owned',
  'a.example{}',
  'a.example}',
  '"a.example"',
  "a'.example",
  '$host.example',
  '`a.example`',
  'a.example`) || Host(`b.example',
  'a.example\nserver_name b.example',
  'a.example\r\nX: y',
  'a\u0000.example',
  'a\\.example',
  'a#.example',
  '{{ env "SECRET" }}',
  '~^.*$',
  '*.example',
  '.example',
  'a..example',
  '-a.example',
  'ä.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(127)}example`,
];

/** The contract of every reverse proxy, run against a real one if it is installed. */
export function describeProxy(name: string, makeHarness: () => Promise<ProxyHarness>): void {
  describe(`proxy contract: ${name}`, () => {
    let harness: ProxyHarness;
    let proxy: ReverseProxy;
    let upstream: Upstream;
    let made = 0;

    beforeAll(async () => {
      harness = await makeHarness();
      upstream = await startUpstream('contract');
      proxy = await harness.open();
    });
    afterAll(async () => {
      await proxy?.close();
      await upstream?.close();
      await harness?.close();
    });

    const newSite = (changes: Parameters<typeof makeSite>[2] = {}): Site => {
      made += 1;
      return makeSite(`site-${made}`, upstream.port, changes);
    };
    const withTls = async (site: Site): Promise<Site> => {
      const certificate = await makeCertificate(site.hosts.frontend.domain);
      await proxy.putCertificate(site.tenant, certificate);
      const tls = certificateTls(certificate);
      return { ...site, hosts: { frontend: { ...site.hosts.frontend, tls }, api: { ...site.hosts.api, tls } } };
    };
    const isFound = async ({ tenant }: Site): Promise<boolean> =>
      (await proxy.found()).some((found) => found.tenant.id === tenant.id);
    const expectServed = async (site: Site, name = 'contract'): Promise<void> => {
      if (!harness.serves) return;
      for (const { domain, tls } of Object.values(site.hosts)) {
        const port = tls ? harness.serves.httpsPort : harness.serves.httpPort;
        const { status, text } = await visit(port, domain, { path: '/hello?x=1', ...(tls ? { tls: {} } : {}) });
        expect({ domain, status, ...JSON.parse(text) }).toMatchObject({ domain, status: 200, name, url: '/hello?x=1' });
      }
    };
    const expectUnserved = async (domain: string): Promise<void> => {
      if (harness.serves) expect((await visit(harness.serves.httpPort, domain)).status).toBe(404);
    };

    test('is available and accepts its configuration', async () => {
      if (harness.serves) {
        expect(await proxy.availability()).toEqual({ available: true, version: expect.stringMatching(/^\d+\.\d+/) });
      }
      expect(await proxy.test()).toMatchObject({ valid: true, output: expect.any(String) });
      await proxy.reload();
    });

    test('asks a unit’s other addresses while its own refuses, and its own again afterwards', async () => {
      const away = await startUpstream('own', '127.0.0.2');
      const other = await startUpstream('other', '127.0.0.4', away.port);
      const site = await applySeveral(away.port);
      const { domain } = site.hosts.api;
      await expectServed(site, 'own');
      await away.close();
      await expectServed(site, 'other');
      if (harness.serves) {
        const { text } = await visit(harness.serves.httpPort, domain, { method: 'POST', path: '/hello' });
        expect(JSON.parse(text)).toMatchObject({ name: 'other', method: 'POST' });
      }
      const back = await startUpstream('own', '127.0.0.2', away.port);
      const served = async () => {
        if (!harness.serves) return true;
        const { text } = await visit(harness.serves.httpPort, domain, { path: '/hello' });
        return JSON.parse(text).name === 'own' ? true : undefined;
      };
      expect(await poll(served, { timeoutMs: patienceMs, intervalMs: 500 })).toBe(true);
      await proxy.remove(site.tenant, siteWork());
      await back.close();
      await other.close();
    });

    /** A site on three addresses, the first of which serves. */
    async function applySeveral(port: number, healthPath?: string): Promise<Site> {
      const site = newSite();
      const backups = ['127.0.0.3', '127.0.0.4'].map((host) => ({ host, port }));
      const at = { upstream: { host: '127.0.0.2', port }, backups, healthPath };
      const hosts = { frontend: { ...site.hosts.frontend, ...at }, api: { ...site.hosts.api, ...at } };
      await proxy.apply({ ...site, hosts }, siteWork());
      return site;
    }

    test('goes on asking a unit that restarted or broke one request, and never repeats a broken POST', async () => {
      let own = await startUpstream('own', '127.0.0.2');
      const site = await applySeveral(own.port);
      await expectServed(site, 'own');
      if (harness.serves) {
        const { httpPort } = harness.serves;
        const ask = (method: string, path: string) =>
          visit(httpPort, site.hosts.api.domain, { method, path, body: Readable.from(['body']) });
        for (const method of ['POST', 'PATCH']) {
          expect((await ask(method, '/break')).status).toBe(502);
          await expectServed(site, 'own');
        }
        expect(own.requests.filter((one) => one.endsWith('/break'))).toEqual(['POST /break', 'PATCH /break']);
        await own.close();
        for (let asked = 0; asked < 5; asked += 1) expect((await ask('POST', '/')).status).toBe(502);
      } else await own.close();
      own = await startUpstream('own', '127.0.0.2', own.port);
      await expectServed(site, 'own');
      await proxy.remove(site.tenant, siteWork());
      await own.close();
    });

    test('a unit never closes an idle connection that the proxy may use again', async () => {
      if (!harness.serves) return;
      // Node's server in its default configuration ends a connection after 5 s without a request.
      const endedBy: Promise<'proxy' | 'unit'>[] = [];
      const unit = createServer((request, response) => {
        const { socket, headers } = request;
        const first = (event: string) => new Promise((resolve) => socket.once(event, () => resolve(event)));
        const ended = Promise.race([first('end'), first('close')]);
        // After its only request the unit has to close it.
        endedBy.push(ended.then((event) => (event === 'end' || headers.connection === 'close' ? 'proxy' : 'unit')));
        request.resume().once('end', () => response.end('{}'));
      });
      // At all of the site's addresses.
      await new Promise<void>((resolve) => unit.listen(0, '0.0.0.0', resolve));
      try {
        const site = await applySeveral((unit.address() as AddressInfo).port);
        const { httpPort } = harness.serves;
        const post = () => visit(httpPort, site.hosts.api.domain, { method: 'POST', body: Readable.from(['body']) });
        // At once, so that every process of the proxy has a connection.
        const answers = await Promise.all(Array.from({ length: 16 }, post));
        expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
        expect(endedBy.length).toBeGreaterThanOrEqual(16);
        expect(new Set(await Promise.all(endedBy))).toEqual(new Set(['proxy']));
        await proxy.remove(site.tenant, siteWork());
      } finally {
        unit.close();
        unit.closeAllConnections();
      }
    });

    test('asks a unit’s other addresses while all packets to and from its own are lost, for WebSockets, too', async () => {
      if (!harness.serves || !canLosePackets) return;
      const { httpPort } = harness.serves;
      const own = await startUpstream('own', '127.0.0.2');
      const other = await startUpstream('other', '127.0.0.4', own.port);
      const site = await applySeveral(own.port, '/hello');
      const { domain } = site.hosts.api;
      // At once, so that every process of the proxy has had a connection, which it might keep.
      await Promise.all(Array.from({ length: 16 }, () => expectServed(site, 'own')));
      const lost = await losePackets('127.0.0.2', own.port);
      try {
        for (const { domain: name } of harness.asksHealth ? Object.values(site.hosts) : []) {
          const answers = () => visit(httpPort, name).then(({ status }) => (status === 200 ? true : undefined));
          expect(await poll(answers, { timeoutMs: patienceMs })).toBe(true);
        }
        await expectServed(site, 'other');
        const socket = new WebSocket(`ws://127.0.0.1:${httpPort}/`, { headers: { host: domain } });
        socket.on('open', () => socket.send('hello'));
        const [message] = await once(socket, 'message');
        expect(String(message)).toBe('other: hello');
        socket.terminate();
        const { text } = await visit(httpPort, domain, { method: 'POST', path: '/', body: Readable.from(['body']) });
        expect(JSON.parse(text)).toMatchObject({ name: 'other', method: 'POST', bytes: 4 });
      } finally {
        await lost.restore();
      }
      const nameOf = async () => JSON.parse((await visit(httpPort, domain)).text).name;
      const isBack = async () => ((await nameOf()) === 'own' ? true : undefined);
      expect(await poll(isBack, { timeoutMs: patienceMs })).toBe(true);
      await proxy.remove(site.tenant, siteWork());
      await own.close();
      await other.close();
    });

    test('passes no header with an underscore, which an application may read as another one', async () => {
      if (!harness.serves) return;
      const site = newSite();
      await proxy.apply(site, siteWork());
      const forged = {
        X_Forwarded_For: '198.51.100.1',
        x_real_ip: '198.51.100.1',
        Any_Name: 'any',
        'Any-Name': 'kept',
      };
      for (const from of ['127.0.0.1', front]) {
        const visiting = { from, headers: forged };
        const { headers } = JSON.parse((await visit(harness.serves.httpPort, site.hosts.api.domain, visiting)).text);
        expect(headers['any-name']).toBe('kept');
        expect(Object.keys(headers).filter((name) => name.includes('_'))).toEqual([]);
      }
    });

    test('takes scheme and address of the visitor from a front proxy alone, and redirects only what is not encrypted', async () => {
      if (!harness.serves) return;
      const { httpPort, httpsPort } = harness.serves;
      const isBehindFront = proxy.hasFrontProxies ? { isBehindFront: true as const } : {};
      const [plain, secure] = [newSite(), await withTls(newSite())].map((site) => ({ ...site, ...isBehindFront }));
      if (!plain || !secure) throw new Error('A site is missing');
      await proxy.apply(plain, siteWork());
      await proxy.apply(secure, siteWork());
      const ask = async (site: Site, from: string, scheme: 'http' | 'https', method = 'GET') => {
        const { domain } = site.hosts.api;
        const headers = { host: domain, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': scheme };
        const answer = await visit(httpPort, domain, { from, headers, method, path: '/a?b=1' });
        if (answer.status !== 200) return { status: answer.status, location: answer.headers.location };
        const seen = JSON.parse(answer.text).headers;
        return { scheme: seen['x-forwarded-proto'], address: seen['x-forwarded-for'].split(',')[0], host: seen.host };
      };
      const { domain } = secure.hosts.api;
      const claimed = { scheme: 'https', address: '203.0.113.9', host: domain };
      const ofPlain = { ...claimed, host: plain.hosts.api.domain };
      expect(await ask(plain, front, 'https')).toEqual(ofPlain);
      expect(await ask(plain, front, 'http')).toEqual({ ...ofPlain, scheme: 'http' });
      expect(await ask(plain, '127.0.0.8', 'https')).toMatchObject({ scheme: 'http', address: '127.0.0.8' });
      expect(await ask(secure, front, 'https')).toEqual(claimed);
      expect(await ask(secure, front, 'https', 'POST')).toEqual(claimed);
      const redirect = { status: 308, location: `https://${domain}/a?b=1` };
      expect(await ask(secure, front, 'http', 'POST')).toEqual(redirect);
      expect(await ask(secure, '127.0.0.8', 'https', 'POST')).toMatchObject({ status: 308 });
      // Over TLS an address of its own is no front proxy's either.
      const overTls = { tls: {}, from: '127.0.0.8', headers: { 'x-forwarded-for': '203.0.113.9' } };
      expect(JSON.parse((await visit(httpsPort, domain, overTls)).text).headers).toMatchObject({
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '127.0.0.8',
      });
    });

    test('renders equal sites equally, and different sites differently', async () => {
      const site = newSite();
      const rendered = proxy.render(site);
      expect(isAbsolute(rendered.path)).toBe(true);
      expect(proxy.render(structuredClone(site))).toEqual(rendered);
      for (const other of [
        { ...site, hosts: { ...site.hosts, api: { ...site.hosts.api, domain: 'other.example' } } },
        { ...site, hosts: { ...site.hosts, api: { ...site.hosts.api, upstream: { host: '127.0.0.1', port: 1 } } } },
        { ...site, tenant: { ...site.tenant, id: 'another' } },
      ]) {
        expect(proxy.render(other).text).not.toBe(rendered.text);
      }
    });

    test.each(hostileNames)('rejects %j as a host name, an upstream, a slug and an id', (value) => {
      const site = makeSite('hostile', 1);
      const { frontend } = site.hosts;
      const hostile: Site[] = [
        { ...site, hosts: { ...site.hosts, frontend: { ...frontend, domain: value } } },
        { ...site, hosts: { ...site.hosts, frontend: { ...frontend, upstream: { host: value, port: 1 } } } },
        {
          ...site,
          hosts: { ...site.hosts, frontend: { ...frontend, tls: { kind: 'certificate', fingerprint: value } } },
        },
        { ...site, tenant: { ...site.tenant, slug: value } },
        { ...site, tenant: { ...site.tenant, id: value } },
      ];
      for (const one of hostile) expect(() => proxy.render(one)).toThrow();
    });

    test.each([0, -1, 65_536, 1.5, Number.NaN, '80; evil' as unknown as number])('rejects the port %p', (port) => {
      expect(() => proxy.render(makeSite('hostile', port))).toThrow();
    });

    test('apply rejects a malicious site too, and changes nothing', async () => {
      const before = await proxy.found();
      await expect(proxy.apply(newSite({ domain: 'a.example; }' }), siteWork())).rejects.toThrow();
      expect(await proxy.found()).toEqual(before);
    });

    test('applies a site once, serves it, and finds it again', async () => {
      const site = newSite();
      expect(await proxy.state(site)).toBe('missing');
      expect(await proxy.apply(site, siteWork())).toEqual({ changed: true });
      expect(await proxy.apply(site, siteWork())).toEqual({ changed: false });

      expect(await proxy.state(site)).toBe('in_sync');
      await expectServed(site);
      const { path, text } = proxy.render(site);
      expect(await readFile(path, 'utf8')).toBe(text);
      expect(await proxy.found()).toContainEqual({
        tenant: site.tenant,
        path,
        domains: { frontend: site.hosts.frontend.domain, api: site.hosts.api.domain },
      });
    });

    test('a second adapter, as after a restart, finds the sites of the first one', async () => {
      const site = newSite();
      await proxy.apply(site, siteWork());
      const again = await harness.open();
      expect(await again.state(site)).toBe('in_sync');
      expect(await again.apply(site, siteWork())).toEqual({ changed: false });
      await again.close();
    });

    test('a changed domain: serves the new one, and no longer the old one', async () => {
      const site = newSite();
      await proxy.apply(site, siteWork());
      const moved: Site = makeSite(site.tenant.slug, upstream.port, { domain: 'moved.example' });
      expect(await proxy.state(moved)).toBe('edited');
      expect(await proxy.apply(moved, siteWork())).toEqual({ changed: true });
      await expectServed(moved);
      await expectUnserved(site.hosts.frontend.domain);
      expect((await proxy.found()).filter(({ tenant }) => tenant.id === site.tenant.id)).toHaveLength(1);
    });

    test('reports a file edited or removed by hand, and repairs it by applying', async () => {
      const site = newSite();
      await proxy.apply(site, siteWork());
      const { path, text } = proxy.render(site);
      await writeFile(path, `${text}# by hand\n`);
      expect(await proxy.state(site)).toBe('edited');
      expect(await proxy.apply(site, siteWork())).toEqual({ changed: true });
      expect(await proxy.state(site)).toBe('in_sync');
      await rm(path);
      expect(await proxy.state(site)).toBe('missing');
      expect(await proxy.apply(site, siteWork())).toEqual({ changed: true });
      await expectServed(site);
    });

    test('removes a site once', async () => {
      const site = newSite();
      await proxy.apply(site, siteWork());
      expect(await proxy.remove(site.tenant, siteWork())).toEqual({ removed: true });
      expect(await proxy.remove(site.tenant, siteWork())).toEqual({ removed: false });
      expect(await proxy.state(site)).toBe('missing');
      expect(await isFound(site)).toBe(false);
      await expectUnserved(site.hosts.frontend.domain);
    });

    test('applies many sites concurrently', async () => {
      const sites = Array.from({ length: 20 }, () => newSite());
      const results = await Promise.all(sites.map((site) => proxy.apply(site, siteWork())));
      expect(results).toEqual(sites.map(() => ({ changed: true })));
      for (const site of sites) await expectServed(site);
      const removed = await Promise.all(sites.map(({ tenant }) => proxy.remove(tenant, siteWork())));
      expect(removed).toEqual(sites.map(() => ({ removed: true })));
    });

    test('a change cancelled before it starts changes nothing, and rejects with its reason', async () => {
      const site = newSite();
      const reason = new Error('given up');
      await expect(proxy.apply(site, siteWork(AbortSignal.abort(reason)))).rejects.toBe(reason);
      expect(await proxy.state(site)).toBe('missing');
    });

    test('serves TLS with an uploaded certificate, replaces it, and removes it with the site', async () => {
      const site = await withTls(newSite());
      await proxy.apply(site, siteWork());
      await expectServed(site);
      const renewed = await withTls(site);
      expect(await proxy.apply(renewed, siteWork())).toEqual({ changed: true });
      await expectServed(renewed);
      if (harness.serves) {
        const timeoutMs = 5_000;
        expect(await proxy.probe(renewed.hosts.frontend, '/', { timeoutMs })).toMatchObject({ status: 'up' });
        expect(await proxy.probe(site.hosts.frontend, '/', { timeoutMs })).toMatchObject({
          status: 'down',
          error: expect.stringContaining('certificate'),
        });
      }
      expect(await proxy.remove(site.tenant, siteWork())).toEqual({ removed: true });
    });

    test('serves challenges over HTTP, also of a host with TLS, until they are removed', async () => {
      const { challenges } = proxy;
      if (!challenges) return;
      const site = await withTls(newSite());
      await proxy.apply(site, siteWork());
      await challenges.put('token-1_A', 'token-1_A.thumbprint');
      const ask = async (): Promise<{ status: number; text: string } | undefined> =>
        harness.serves &&
        visit(harness.serves.httpPort, site.hosts.frontend.domain, { path: '/.well-known/acme-challenge/token-1_A' });
      if (harness.serves) expect(await ask()).toMatchObject({ status: 200, text: 'token-1_A.thumbprint' });
      await challenges.remove('token-1_A');
      await challenges.remove('token-1_A');
      if (harness.serves) expect(await ask()).toMatchObject({ status: 404 });
      for (const token of ['../../x', 'a/b', '', '.', 'a b']) {
        await expect(challenges.put(token, 'x')).rejects.toThrow();
        await expect(challenges.remove(token)).rejects.toThrow();
      }
    });

    test('probes as a visitor: up, an application error, no response', async () => {
      if (!harness.serves) return;
      const site = newSite();
      const gone = makeSite('gone', 1);
      await Promise.all([proxy.apply(site, siteWork()), proxy.apply(gone, siteWork())]);
      const timeoutMs = 5_000;
      const { frontend, api } = site.hosts;
      expect(await proxy.probe(frontend, '/', { timeoutMs })).toEqual({
        status: 'up',
        status_code: 200,
        response_time_ms: expect.any(Number),
      });
      expect(await proxy.probe(api, '/status/500', { timeoutMs })).toMatchObject({ status: 'down', status_code: 500 });
      expect(await proxy.probe(gone.hosts.api, '/', { timeoutMs })).toMatchObject({ status: 'down', status_code: 502 });
      const reason = new Error('given up');
      await expect(proxy.probe(api, '/', { timeoutMs, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    test('keeps serving another tenant at every moment', async () => {
      if (!harness.serves) return;
      const other = newSite();
      const site = newSite();
      await proxy.apply(other, siteWork());
      const poll = keepVisiting(harness.serves.httpPort, other.hosts.frontend.domain);
      for (let round = 0; round < 3; round += 1) {
        await proxy.apply(site, siteWork());
        await proxy.apply(await withTls(site), siteWork());
        await proxy.apply(makeSite(site.tenant.slug, upstream.port, { domain: `round-${round}.example` }), siteWork());
        await expect(proxy.apply(newSite({ domain: 'bad name' }), siteWork())).rejects.toThrow();
        await proxy.remove(site.tenant, siteWork());
        await proxy.reload();
      }
      const { visits, failures } = await poll.stop();
      expect(failures).toEqual([]);
      expect(visits).toBeGreaterThan(20);
    });
  });
}
