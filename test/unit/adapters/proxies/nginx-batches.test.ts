import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ReverseProxy, Site } from '../../../../src/adapters/proxies/proxy.ts';
import { describeWithNginx, TestNginx } from '../../../harness/proxy/nginx.ts';
import { makeSite, siteWork } from '../../../harness/proxy/sites.ts';
import { startUpstream, type Upstream } from '../../../harness/proxy/upstream.ts';
import { visit } from '../../../harness/proxy/visitor.ts';

const missingFingerprint = 'f'.repeat(64);

describeWithNginx('concurrent changes to nginx', () => {
  let nginx: TestNginx;
  let proxy: ReverseProxy;
  let upstream: Upstream;
  let made = 0;

  beforeAll(async () => {
    nginx = await TestNginx.create();
    upstream = await startUpstream('app');
    proxy = await nginx.proxy();
    await nginx.start();
  });
  afterAll(async () => {
    await proxy?.close();
    await upstream?.close();
    await nginx?.destroy();
  });
  beforeEach(() => {
    made += 1;
  });

  const siteOf = (name: string, changes: Parameters<typeof makeSite>[2] = {}): Site =>
    makeSite(`${name}-${made}`, upstream.port, changes);
  const badSite = (name: string): Site =>
    siteOf(name, { tls: { kind: 'certificate', fingerprint: missingFingerprint } });
  const apply = (site: Site, signal?: AbortSignal): Promise<{ changed: boolean }> =>
    proxy.apply(site, siteWork(signal));
  const statusOf = async (site: Site): Promise<number> => (await visit(nginx.httpPort, site.hosts.api.domain)).status;
  const nothingLeftOver = async (): Promise<void> => {
    expect((await readdir(nginx.sites)).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await readdir(join(nginx.directory, 'tenantry', 'candidates'))).toEqual([]);
    expect((await readdir(nginx.directory)).filter((name) => name.includes('candidate'))).toEqual([]);
  };

  test('groups a hundred concurrent changes into a few tests and reloads', async () => {
    const sites = Array.from({ length: 100 }, (_, index) => siteOf(`crowd-${index}`.replace(/\d+$/, (n) => `n${n}`)));
    const before = nginx.runs.length;
    const reloadsBefore = nginx.reloads;
    const results = await Promise.all(sites.map((site) => apply(site)));
    expect(results).toEqual(sites.map(() => ({ changed: true })));
    expect(nginx.reloads - reloadsBefore).toBeLessThanOrEqual(3);
    expect(nginx.runs.length - before).toBeLessThanOrEqual(6);
    for (const site of sites) expect(await statusOf(site)).toBe(200);

    const unchangedBefore = nginx.runs.length;
    expect(await Promise.all(sites.map((site) => apply(site)))).toEqual(sites.map(() => ({ changed: false })));
    expect(nginx.runs.length).toBe(unchangedBefore);
    await nothingLeftOver();
  });

  test('groups changes that arrive during a batch into the next one', async () => {
    const first = apply(siteOf('first'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = nginx.reloads;
    const rest = Array.from({ length: 10 }, (_, index) => apply(siteOf(`rest-n${index}`)));
    await Promise.all([first, ...rest]);
    expect(nginx.reloads - before).toBeLessThanOrEqual(2);
  });

  test('applies several changes of one site in order', async () => {
    const moves = ['one', 'two', 'three'].map((name) => siteOf('same', { domain: `${name}-${made}.example` }));
    const results = await Promise.all([
      ...moves.map((site) => apply(site)),
      proxy.remove({ id: 'any', slug: `same-${made}` }, siteWork()),
      apply(siteOf('same')),
    ]);
    expect(results).toEqual([
      { changed: true },
      { changed: true },
      { changed: true },
      { removed: true },
      { changed: true },
    ]);
    expect(await statusOf(siteOf('same'))).toBe(200);
    for (const { hosts } of moves) expect((await visit(nginx.httpPort, hosts.frontend.domain)).status).toBe(404);
  });

  test('rejects invalid changes with nginx’s own words and applies the valid ones of the batch', async () => {
    const good = ['a', 'b', 'c'].map((name) => siteOf(`good-${name}`));
    const bad = ['a', 'b'].map((name) => badSite(`bad-${name}`));
    const [results, refusals] = await Promise.all([
      Promise.all(good.map((site) => apply(site))),
      Promise.all(bad.map((site) => apply(site).catch((error: Error) => error.message))),
    ]);
    expect(results).toEqual(good.map(() => ({ changed: true })));
    for (const [index, site] of bad.entries()) {
      expect(refusals[index]).toContain('cannot load certificate');
      expect(refusals[index]).toContain(`/certificates/${site.tenant.slug}/${missingFingerprint}.crt`);
      expect(await proxy.state(site)).toBe('missing');
    }
    for (const site of good) expect(await statusOf(site)).toBe(200);
    await nothingLeftOver();
  });

  test('leaves the site unchanged after an invalid change', async () => {
    const good = siteOf('kept');
    await apply(good);
    const reloads = nginx.reloads;
    await expect(apply(badSite('kept'))).rejects.toThrow(/cannot load certificate/);
    expect(await proxy.state(good)).toBe('in_sync');
    expect(await statusOf(good)).toBe(200);
    expect(nginx.reloads).toBe(reloads);
  });

  test('rejects a name of another tenant, though nginx only warns about it', async () => {
    const owner = siteOf('owner');
    await apply(owner);
    const thief = siteOf('thief', { domain: owner.hosts.frontend.domain });
    await expect(apply(thief)).rejects.toThrow(
      `conflicting server name "${owner.hosts.frontend.domain}" on 127.0.0.1:${nginx.httpPort}, ignored`,
    );
    expect(await proxy.state(thief)).toBe('missing');
    expect(await proxy.state(owner)).toBe('in_sync');
  });

  test('gives a name to the first of two concurrent requests', async () => {
    const domain = `wanted-${made}.example`;
    const [first, second] = [siteOf('first', { domain }), siteOf('second', { domain })];
    const results = await Promise.allSettled([apply(first), apply(second)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await proxy.state(first)).toBe('in_sync');
  });

  test('lets two sites exchange their names in one batch', async () => {
    const [one, two] = [`one-${made}.example`, `two-${made}.example`];
    await Promise.all([apply(siteOf('x', { domain: one })), apply(siteOf('y', { domain: two }))]);
    await Promise.all([apply(siteOf('x', { domain: two })), apply(siteOf('y', { domain: one }))]);
    expect(await proxy.state(siteOf('x', { domain: two }))).toBe('in_sync');
    expect(await statusOf(siteOf('x', { domain: two }))).toBe(200);
  });

  test('releases a cancelled caller immediately and skips its change', async () => {
    const giveUp = new AbortController();
    const first = apply(siteOf('first'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const waiting = apply(siteOf('waiting'), giveUp.signal);
    const reason = new Error('given up');
    giveUp.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await first;
    expect(await proxy.state(siteOf('waiting'))).toBe('missing');
  });

  test('closing cancels queued changes and finishes the running one', async () => {
    const other = await nginx.proxy();
    const site = siteOf('underway');
    const first = other.apply(site, siteWork());
    await new Promise((resolve) => setTimeout(resolve, 50));
    const waiting = other.apply(siteOf('waiting'), siteWork());
    const closed = other.close();
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
    await expect(other.apply(siteOf('late'), siteWork())).rejects.toMatchObject({ code: 'shutting_down' });
    await closed;
    expect(await first).toEqual({ changed: true });
    expect(await statusOf(site)).toBe(200);
  });

  test('a warning about another file is no reason to reject a change', async () => {
    const foreign = join(nginx.sites, 'foreign.conf');
    const server = `server { listen 127.0.0.1:${nginx.httpPort}; server_name foreign.example; return 204; }\n`;
    await writeFile(foreign, server + server);
    expect(await apply(siteOf('other'))).toEqual({ changed: true });
    expect((await proxy.test()).output).toContain('conflicting server name "foreign.example"');
    expect((await visit(nginx.httpPort, 'foreign.example')).status).toBe(204);
    expect(await readFile(foreign, 'utf8')).toBe(server + server);
    expect((await proxy.found()).some(({ path }) => path === foreign)).toBe(false);
  });
});
