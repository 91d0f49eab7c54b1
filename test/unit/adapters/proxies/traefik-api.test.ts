import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { ReverseProxy } from '../../../../src/adapters/proxies/proxy.ts';
import { complaintOf, TraefikApi } from '../../../../src/adapters/proxies/traefik/traefik-api.ts';
import { createTraefikProxy } from '../../../../src/adapters/proxies/traefik/traefik-proxy.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { makeSite, siteWork } from '../../../harness/proxy/sites.ts';
import { TraefikStub } from '../../../harness/proxy/traefik.ts';

describe('Traefik’s API', () => {
  let stub: TraefikStub;
  let proxy: ReverseProxy;
  beforeEach(async () => {
    stub = await TraefikStub.start();
    proxy = await stub.proxy();
  });
  afterEach(async () => {
    await proxy.close();
    await stub.destroy();
  });
  const unavailable = (message: RegExp | string) => ({
    code: 'proxy_unavailable',
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  });

  test('reports the version, and whether the entry points exist', async () => {
    expect(await proxy.availability()).toEqual({ available: true, version: '3.7.13' });
    stub.entryPoints = ['web'];
    expect(await proxy.availability()).toEqual({
      available: false,
      reason: 'Traefik has no entry point websecure: web',
    });
    stub.version = '2.11.0';
    expect(await proxy.availability()).toEqual({
      available: false,
      reason: 'Traefik 2.11.0 is too old: 3.0 is needed',
    });
  });

  test('names options of entry points that do not fit FRONT_PROXIES, and what to set', async () => {
    const trust = (trustedIPs: string[]) => ({ forwardedHeaders: { trustedIPs } });
    const named = await stub.proxy({ frontProxies: ['10.0.0.0/8', '192.0.2.1'] });
    const warningsOf = async (one: ReverseProxy) => {
      const answer = await one.availability();
      return answer.available && answer.warnings?.map(({ code, params }) => [code, params.entry_point, params.option]);
    };
    stub.options = {
      web: trust(['10.0.0.0/8']),
      websecure: trust(['192.0.2.1', '10.0.0.0/8']),
      traefik: trust(['::1']),
    };
    const line = '--entryPoints.web.forwardedHeaders.trustedIPs=10.0.0.0/8,192.0.2.1';
    expect(await warningsOf(named)).toEqual([['front_proxies_not_trusted', 'web', line]]);
    stub.options = { web: trust(['10.0.0.0/8']), websecure: { forwardedHeaders: { insecure: true } } };
    expect(await warningsOf(proxy)).toEqual([
      ['front_proxies_not_named', 'web', 'FRONT_PROXIES=10.0.0.0/8'],
      ['front_proxies_not_named', 'websecure', '--entryPoints.websecure.forwardedHeaders.insecure=false'],
    ]);
    stub.options = {
      web: { http: { underscoreHeadersStrategy: 'keep' } },
      websecure: { http: { underscoreHeadersStrategy: 'delete' } },
    };
    expect(await warningsOf(proxy)).toEqual([
      ['underscore_headers_kept', 'web', '--entryPoints.web.http.underscoreHeadersStrategy=delete'],
    ]);
    await named.close();
  });

  test('is read to its last page, and only the file provider’s elements', async () => {
    for (const slug of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']) {
      await proxy.apply(makeSite(slug, 3000), siteWork());
    }
    const api = new TraefikApi({ url: stub.apiUrl });
    const names = (await api.list('routers')).map(({ name }) => name);
    expect(names).toHaveLength(22);
    expect(new Set(names).size).toBe(22);
    expect(names).not.toContain('api@internal');
    await api.close();
    expect(await proxy.test()).toEqual({
      valid: true,
      output: '11 files read; Traefik 3.7.13 asked about its routers, services and middlewares: nothing wrong',
    });
    await proxy.reload();
  });

  test('reports Traefik’s errors in its own words', async () => {
    await proxy.apply(makeSite('acme', 3000), siteWork());
    stub.errors.set('routers/tenantry_acme_api_http', ['the service "x@file" does not exist', 'and more']);
    stub.errors.set('middlewares/tenantry_acme_compress', ['invalid middleware']);
    const { valid, output } = await proxy.test();
    expect(valid).toBe(false);
    expect(output.split('\n')).toEqual([
      expect.stringContaining('2 found wrong'),
      'router tenantry_acme_api_http@file is disabled: the service "x@file" does not exist; and more',
      'middleware tenantry_acme_compress@file is disabled: invalid middleware',
    ]);
    await expect(proxy.reload()).rejects.toThrow('the service "x@file" does not exist');
  });

  test('reports a file that Traefik has not loaded', async () => {
    await proxy.apply(makeSite('acme', 3000), siteWork());
    stub.watches = false;
    const blind = await stub.proxy({ api: undefined });
    await blind.apply(makeSite('other', 3000), siteWork());
    const { valid, output } = await proxy.test();
    expect(valid).toBe(false);
    expect(output).toContain(`router tenantry_other_api_http of ${stub.sites}/other.yml is unknown to Traefik`);
    expect(output).not.toContain('tenantry_acme');
    await blind.close();
  });

  test('waits for a file that Traefik is still loading', async () => {
    const blind = await stub.proxy({ api: undefined });
    await blind.apply(makeSite('acme', 3000), siteWork());
    stub.delay = 5;
    expect(await proxy.test()).toMatchObject({ valid: true });
    expect(stub.delay).toBeLessThan(0);
    await blind.close();
  });

  test('uses the user name and password, which no message contains', async () => {
    stub.credentials = 'tenantry:s3cret-word';
    await expect(proxy.test()).rejects.toMatchObject(unavailable(/rejects the user name or password \(401\)$/));
    const signedIn = await stub.proxy({ api: { url: `${stub.apiUrl}/`, user: 'tenantry', password: 's3cret-word' } });
    expect(await signedIn.test()).toMatchObject({ valid: true });
    const wrong = await stub.proxy({ api: { url: stub.apiUrl, user: 'tenantry', password: 'wr0ng-word' } });
    const answer = await wrong.availability();
    expect(answer).toMatchObject({ available: false });
    expect(JSON.stringify(answer)).not.toContain('wr0ng-word');
    await Promise.all([signedIn.close(), wrong.close()]);
    const logger = createLogger({ level: 'fatal' });
    for (const url of ['http://user:pass@127.0.0.1', 'ftp://127.0.0.1', 'traefik:8080', '']) {
      expect(() => createTraefikProxy({ directory: '/proxy', api: { url }, logger })).toThrow();
    }
  });

  test('is available at an entry point to the manager only, with a password that does not change', async () => {
    const api = { url: stub.apiUrl, entryPoint: 'internal' };
    const first = await stub.proxy({ api });
    const path = join(stub.sites, '00-tenantry-api.yml');
    const text = await readFile(path, 'utf8');
    const password = await readFile(join(stub.directory, 'api-password'), 'utf8');
    const { http } = parse(text);
    expect(http.routers.tenantry_api).toEqual({
      entryPoints: ['internal'],
      rule: 'PathPrefix(`/api`)',
      middlewares: ['tenantry_api_access'],
      service: 'api@internal',
    });
    const hash = createHash('sha1').update(password).digest('base64');
    expect(http.middlewares.tenantry_api_access.basicAuth.users).toEqual([`tenantry:{SHA}${hash}`]);
    expect(text).not.toContain(password);
    for (const file of [path, join(stub.directory, 'api-password')]) {
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }

    stub.credentials = `tenantry:${password}`;
    await writeFile(path, 'http: {}');
    const again = await stub.proxy({ api });
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await again.availability()).toMatchObject({ available: true });
    await again.apply(makeSite('acme', 3000), siteWork());
    expect(await again.test()).toMatchObject({ valid: true });
    expect(await again.found()).toHaveLength(1);
    await Promise.all([first.close(), again.close()]);
    await expect(stub.proxy({ api: { ...api, entryPoint: 'a b' } })).rejects.toThrow('entry point');
  });

  test('unavailable: reports the reason', async () => {
    await stub.stopApi();
    await expect(proxy.test()).rejects.toMatchObject(unavailable('/api/version: connection refused'));
    await expect(proxy.reload()).rejects.toMatchObject(unavailable('connection refused'));
    expect(await proxy.availability()).toMatchObject({
      available: false,
      reason: expect.stringContaining('connection refused'),
    });
  });

  test.each<[string, number, string, RegExp]>([
    ['something else', 200, '<html>', /the response is not from Traefik$/],
    ['JSON of another shape', 200, '{"version":"3"}', /the response is not from Traefik$/],
    ['status 404', 404, 'not found', /it has no such API \(404\)$/],
    ['an error', 500, '{}', /it responded with 500$/],
    ['a redirect, which is not followed', 302, '', /it responded with 302$/],
  ])('reports %s', async (_, status, body, expected) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = new TraefikApi({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    await expect(api.version()).rejects.toMatchObject(unavailable(expected));
    await api.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('accepts an element without an error; reports one that is not enabled', () => {
    const element = { name: 'x@file', provider: 'file', error: [] };
    expect(complaintOf('routers', { ...element, status: 'enabled' })).toBeUndefined();
    expect(complaintOf('middlewares', element)).toBeUndefined();
    expect(complaintOf('routers', { ...element, status: 'warning' })).toBe('router x@file is warning');
    expect(complaintOf('services', { ...element, error: ['a', 'b'] })).toBe('service x@file is in error: a; b');
  });
});
