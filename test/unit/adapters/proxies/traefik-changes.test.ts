import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ReverseProxy, Site } from '../../../../src/adapters/proxies/proxy.ts';
import { certificateTls, makeCertificate, makeSite, siteWork } from '../../../harness/proxy/sites.ts';
import { TraefikStub } from '../../../harness/proxy/traefik.ts';

const run = promisify(execFile);

describe('site changes with Traefik', () => {
  let stub: TraefikStub;
  let proxy: ReverseProxy;
  let opened: ReverseProxy[];
  beforeEach(async () => {
    opened = [];
    stub = await TraefikStub.start();
    proxy = await open();
  });
  afterEach(async () => {
    for (const one of opened) await one.close();
    await stub.destroy();
  });

  async function open(...changes: Parameters<TraefikStub['proxy']>): Promise<ReverseProxy> {
    const one = await stub.proxy(...changes);
    opened.push(one);
    return one;
  }
  const site = (changes: Parameters<typeof makeSite>[2] = {}, port = 3000): Site => makeSite('acme', port, changes);
  const file = (name: string): string => join(stub.sites, name);
  const names = async (): Promise<string[]> => (await readdir(stub.sites)).sort();
  const unavailable = (message: string) => ({
    code: 'proxy_unavailable',
    message: expect.stringContaining(message),
  });

  test('are verified by the revision that Traefik runs, and reported', async () => {
    const lines: string[] = [];
    await proxy.apply(site(), { ...siteWork(), log: (line) => lines.push(line) });
    expect(lines).toEqual([
      'The configuration is written; Traefik loads it automatically',
      'Traefik runs it as configured',
    ]);
    expect(stub.asked).toContain('/api/http/middlewares/tenantry_acme_headers@file');
    expect(stub.asked).toContain('/api/http/routers/tenantry_acme_api_http@file');
    expect(await names()).toEqual(['acme.yml']);
  });

  test('are reported as unverified without API and address', async () => {
    const blind = await open({ api: undefined });
    const lines: string[] = [];
    await blind.apply(site(), { ...siteWork(), log: (line) => lines.push(line) });
    expect(lines[1]).toMatch(/is unknown/);
    expect(await blind.availability()).toEqual({ available: true, version: 'unknown' });
    expect((await blind.test()).output).toMatch(/not asked/);
    expect(await blind.probe(site().hosts.api, '/', { timeoutMs: 100 })).toMatchObject({ status: 'down' });
  });

  test('with an error in Traefik are rolled back, with Traefik’s words', async () => {
    await proxy.apply(site(), siteWork());
    const before = await readFile(file('acme.yml'), 'utf8');
    stub.errors.set('services/tenantry_acme_frontend', ['servers transport not found']);
    const changing = proxy.apply(site({}, 3001), siteWork());
    await expect(changing).rejects.toThrow(
      'Traefik refused the configuration, the former one was restored: ' +
        'service tenantry_acme_frontend@file is disabled: servers transport not found',
    );
    expect(await readFile(file('acme.yml'), 'utf8')).toBe(before);
    expect(await names()).toEqual(['acme.yml']);

    stub.errors.clear();
    stub.errors.set('routers/tenantry_first_api_http', ['entryPoint "web" doesn\'t exist']);
    await expect(proxy.apply(makeSite('first', 1), siteWork())).rejects.toThrow(`entryPoint "web" doesn't exist`);
    expect(await names()).toEqual(['acme.yml']);
  });

  test('that Traefik does not load are rolled back, also removals', async () => {
    await proxy.apply(site(), siteWork());
    const before = await readFile(file('acme.yml'), 'utf8');
    stub.watches = false;
    const hasty = await open({ proofTimeoutMs: 300 });
    await expect(hasty.apply(site({}, 3001), siteWork())).rejects.toThrow(
      `Traefik did not load the configuration within 0.3 s, the former one was restored: ` +
        `Traefik still runs the former configuration. Does it watch ${stub.sites}?`,
    );
    await expect(hasty.apply(makeSite('new', 1), siteWork())).rejects.toThrow('Traefik has not loaded the file');
    await expect(hasty.remove(site().tenant, siteWork())).rejects.toThrow('Traefik still runs it');
    expect(await readFile(file('acme.yml'), 'utf8')).toBe(before);
    expect(await names()).toEqual(['acme.yml']);
  });

  test('with an unavailable API are rolled back as unavailable', async () => {
    await proxy.apply(site(), siteWork());
    const before = await readFile(file('acme.yml'), 'utf8');
    await stub.stopApi();
    const hasty = await open({ proofTimeoutMs: 300 });
    await expect(hasty.apply(site({}, 3001), siteWork())).rejects.toMatchObject(unavailable('connection refused'));
    await expect(hasty.remove(site().tenant, siteWork())).rejects.toMatchObject(unavailable('restored'));
    expect(await readFile(file('acme.yml'), 'utf8')).toBe(before);
    // This one changed nothing, so nothing is rolled back.
    const unchanged = hasty.apply(site(), siteWork());
    await expect(unchanged).rejects.toMatchObject(unavailable('connection refused'));
    await expect(unchanged).rejects.not.toThrow('restored');
  });

  test('are verified through Traefik’s address, with or without the API', async () => {
    for (const api of [undefined, { url: stub.apiUrl }]) {
      const visiting = await open({ api, proofTimeoutMs: 300 }, true);
      stub.watches = true;
      expect(await visiting.apply(site({}, api ? 3001 : 3000), siteWork())).toEqual({ changed: true });
      expect(await visiting.availability()).toMatchObject({ available: true });
      stub.watches = false;
      const before = await readFile(file('acme.yml'), 'utf8');
      await expect(visiting.apply(site({}, 3002), siteWork())).rejects.toThrow(/did not load/);
      expect(await readFile(file('acme.yml'), 'utf8')).toBe(before);
    }
    const visiting = await open({ api: undefined, proofTimeoutMs: 300 }, true);
    await expect(visiting.apply(site({}, 3002), siteWork())).rejects.toThrow(
      'acme.example is not served as configured: the answer 502 came without this revision',
    );
    await expect(visiting.apply(makeSite('new', 1), siteWork())).rejects.toThrow('the answer 404 came');
    await expect(visiting.remove(site().tenant, siteWork())).rejects.toThrow('acme.example is still served');
    stub.watches = true;
    expect(await visiting.remove(site().tenant, siteWork())).toEqual({ removed: true });
    expect(await visiting.probe(site().hosts.api, '/', { timeoutMs: 20_000 })).toMatchObject({ status_code: 404 });
  });

  test('are rolled back if nothing listens at the address', async () => {
    const visited = { address: '127.0.0.1', httpPort: 1, httpsPort: 1 };
    const lost = await open({ visited, proofTimeoutMs: 300 });
    await expect(lost.apply(site(), siteWork())).rejects.toMatchObject(unavailable('acme.example: connection refused'));
    expect(await names()).toEqual([]);
  });

  test('rejects a foreign host before anything is written', async () => {
    await proxy.apply(site(), siteWork());
    await expect(proxy.apply(makeSite('thief', 1, { domain: 'acme.example' }), siteWork())).rejects.toThrow(
      `nothing was changed: the host acme.example is defined in ${file('acme.yml')} and ${file('thief.yml')}`,
    );
    await expect(proxy.apply(makeSite('thief', 1, { domain: 'ACME.example' }), siteWork())).rejects.toThrow('the host');
    await writeFile(file('mine.yaml'), 'http: { routers: { mine: { rule: "Host(`taken.example`)", service: s } } }');
    await expect(proxy.apply(makeSite('thief', 1, { domain: 'taken.example' }), siteWork())).rejects.toThrow(
      'mine.yaml',
    );
    expect(await names()).toEqual(['acme.yml', 'mine.yaml']);
    expect(await proxy.found()).toHaveLength(1);
  });

  test('gives a host to one of two concurrent requests', async () => {
    const results = await Promise.allSettled(
      ['one', 'two'].map((slug) => proxy.apply(makeSite(slug, 1, { domain: 'same.example' }), siteWork())),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await names()).toHaveLength(1);
  });

  test('a file made unreadable by hand: rejects changes and names it until its site is applied', async () => {
    const other = makeSite('other', 1);
    await proxy.apply(other, siteWork());
    await proxy.apply(site(), siteWork());
    const { path, text } = proxy.render(other);
    await writeFile(path, text.replace('rule: "', 'rule: "" "'));
    const refused = proxy.apply(site({}, 3001), siteWork());
    await expect(refused).rejects.toThrow(`nothing was changed: ${path}: `);
    await expect(proxy.remove(site().tenant, siteWork())).rejects.toThrow(path);
    expect(await proxy.state(site())).toBe('in_sync');
    expect(await proxy.test()).toMatchObject({ valid: false, output: expect.stringContaining(path) });

    expect(await proxy.state(other)).toBe('edited');
    expect(await proxy.apply(other, siteWork())).toEqual({ changed: true });
    expect(await proxy.apply(site({}, 3001), siteWork())).toEqual({ changed: true });
  });

  test('names an invalid manual edit that stops Traefik from loading files', async () => {
    const other = makeSite('other', 1);
    await proxy.apply(other, siteWork());
    const { path, text } = proxy.render(other);
    await writeFile(path, text.replace('passHostHeader', 'noSuchKey'));
    const hasty = await open({ proofTimeoutMs: 300 });
    await expect(hasty.apply(site(), siteWork())).rejects.toThrow(
      new RegExp(`not loaded the file.*\\n${path}: .*noSuchKey`),
    );
    expect(await names()).toEqual(['other.yml']);
    expect((await hasty.test()).output).toContain('noSuchKey');
  });

  test('reports drift: edited and missing files, but not foreign ones', async () => {
    await proxy.apply(site(), siteWork());
    const { path, text } = proxy.render(site());
    await writeFile(file('mine.yml'), 'http: { middlewares: { auth: { basicAuth: { users: [] } } } }');
    expect(await proxy.state(site())).toBe('in_sync');
    await writeFile(path, text.replace('5s', '6s'));
    expect(await proxy.state(site())).toBe('edited');
    expect((await proxy.found()).map((found) => found.path)).toEqual([path]);
    // Without its header the file is not ours.
    await writeFile(path, 'http: {}');
    expect(await proxy.state(site())).toBe('edited');
    expect(await proxy.found()).toEqual([]);
    await rm(path);
    expect(await proxy.state(site())).toBe('missing');
    expect(await proxy.apply(site(), siteWork())).toEqual({ changed: true });
    expect((await proxy.test()).valid).toBe(true);
  });

  test('certificates of a site: readable by their owner only, named by the file, removed with it', async () => {
    const certificates = join(stub.directory, 'certificates', 'acme');
    const first = await makeCertificate('acme.example');
    const second = await makeCertificate('acme.example');
    await expect(proxy.apply(site({ tls: certificateTls(first) }), siteWork())).rejects.toThrow(
      `tls.certificates: there is no file ${certificates}/${first.fingerprint}.crt`,
    );
    expect(await names()).toEqual([]);

    await proxy.putCertificate(site().tenant, first);
    const withFirst = site({ tls: certificateTls(first), hstsSeconds: 60 });
    await proxy.apply(withFirst, siteWork());
    for (const name of await readdir(certificates)) {
      expect((await stat(join(certificates, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(certificates)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(certificates, `${first.fingerprint}.key`), 'utf8')).toBe(first.privateKey);

    await rm(join(certificates, `${first.fingerprint}.key`));
    expect(await proxy.test()).toMatchObject({
      valid: false,
      output: expect.stringContaining(`${first.fingerprint}.key`),
    });

    await proxy.putCertificate(site().tenant, second);
    await proxy.apply(site({ tls: certificateTls(second) }), siteWork());
    expect(await readdir(certificates)).toEqual([`${second.fingerprint}.crt`, `${second.fingerprint}.key`]);
    await proxy.remove(site().tenant, siteWork());
    expect(await readdir(join(stub.directory, 'certificates'))).toEqual([]);
  });

  test('the next manager verifies or rolls back what a killed manager left unverified', async () => {
    await proxy.apply(site(), siteWork());
    const { text: before } = proxy.render(site());
    const changed = site({}, 3001);
    // Its state between the swap and the verification.
    const leaveUnproven = async (): Promise<void> => {
      await writeFile(file('.acme.former'), before);
      await writeFile(file('acme.yml'), proxy.render(changed).text);
    };
    await leaveUnproven();
    expect(await (await open()).apply(changed, siteWork())).toEqual({ changed: true });
    expect(await names()).toEqual(['acme.yml']);

    await leaveUnproven();
    stub.errors.set('routers/tenantry_acme_api_http', ['no']);
    await expect((await open()).apply(changed, siteWork())).rejects.toThrow('restored');
    expect(await readFile(file('acme.yml'), 'utf8')).toBe(before);
    expect(await names()).toEqual(['acme.yml']);
  });

  const mounts = process.getuid?.() === 0 ? test : test.skip;
  mounts('a full disk: keeps the old file and reports the reason; a removal needs no space', async () => {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', stub.sites]);
    try {
      await proxy.apply(site(), siteWork());
      const before = await readFile(file('acme.yml'), 'utf8');
      await writeFile(file('filler'), Buffer.alloc(128 * 1024)).catch(() => undefined);
      await expect(proxy.apply(site({}, 3001), siteWork())).rejects.toMatchObject({
        code: 'insufficient_storage',
        message: expect.stringContaining('the former one stays'),
      });
      await expect(proxy.apply(makeSite('new', 1), siteWork())).rejects.toMatchObject({ code: 'insufficient_storage' });
      expect(await readFile(file('acme.yml'), 'utf8')).toBe(before);
      expect(await names()).toEqual(['acme.yml', 'filler']);
      expect(await proxy.remove(site().tenant, siteWork())).toEqual({ removed: true });
    } finally {
      await run('umount', [stub.sites]);
    }
  });

  test('fixes permissions of directories, also of existing ones', async () => {
    await chmod(join(stub.directory, 'certificates'), 0o755);
    await open();
    expect((await stat(join(stub.directory, 'certificates'))).mode & 0o777).toBe(0o700);
    expect((await stat(stub.sites)).mode & 0o777).toBe(0o755);
  });
});
