import { execFile } from 'node:child_process';
import { appendFile, chmod, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ReverseProxy, Site } from '../../../../src/adapters/proxies/proxy.ts';
import { poll } from '../../../../src/lib/concurrency/poll.ts';
import { patienceMs } from '../../../harness/patience.ts';
import { describeWithNginx, TestNginx } from '../../../harness/proxy/nginx.ts';
import { certificateTls, makeCertificate, makeSite, siteWork } from '../../../harness/proxy/sites.ts';
import { startUpstream, type Upstream } from '../../../harness/proxy/upstream.ts';
import { keepVisiting, visit } from '../../../harness/proxy/visitor.ts';

const run = promisify(execFile);

describeWithNginx('nginx failures', () => {
  let nginx: TestNginx;
  let proxy: ReverseProxy;
  let upstream: Upstream;
  let other: Site;

  beforeEach(async () => {
    nginx = await TestNginx.create();
    upstream = await startUpstream('app');
    proxy = await nginx.proxy();
    await nginx.start();
    other = makeSite('other', upstream.port);
    await proxy.apply(other, siteWork());
  });
  afterEach(async () => {
    await proxy?.close();
    await upstream?.close();
    await nginx?.destroy();
  });

  const statusOf = async ({ hosts }: Site): Promise<number> =>
    (await visit(nginx.httpPort, hosts.frontend.domain)).status;
  const shop = (changes: Parameters<typeof makeSite>[2] = {}): Site => makeSite('shop', upstream.port, changes);
  const leftOver = async (): Promise<string[]> => [
    ...(await readdir(nginx.sites)).filter((name) => !name.endsWith('.conf')),
    ...(await readdir(nginx.directory)).filter((name) => name.includes('candidate')),
  ];
  const writeSite = (site: Site): Promise<void> => {
    const { path, text } = proxy.render(site);
    return writeFile(path, text);
  };

  test('an invalid manual edit is reported in nginx’s words, changes nothing, and all sites are still served', async () => {
    const bad = join(nginx.sites, 'zz-by-hand.conf');
    await writeFile(bad, 'server {\n  listen 80;\n  no_such_directive on;\n}\n');
    const polling = keepVisiting(nginx.httpPort, 'other.example');

    const refused = proxy.apply(shop(), siteWork());
    await expect(refused).rejects.toThrow(/was broken before this change, nothing was changed/);
    await expect(refused).rejects.toThrow(`unknown directive "no_such_directive" in ${bad}:3`);
    expect(await proxy.state(shop())).toBe('missing');
    expect(await proxy.test()).toMatchObject({ valid: false, output: expect.stringContaining('no_such_directive') });
    await expect(proxy.reload()).rejects.toThrow('no_such_directive');
    await expect(proxy.remove(other.tenant, siteWork())).rejects.toThrow('no_such_directive');
    expect(await proxy.state(other)).toBe('in_sync');

    await rm(bad);
    expect(await proxy.apply(shop(), siteWork())).toEqual({ changed: true });
    expect((await polling.stop()).failures).toEqual([]);
    expect(await leftOver()).toEqual([]);
  });

  test('applying a site repairs its invalid file', async () => {
    await proxy.apply(shop(), siteWork());
    await writeFile(proxy.render(shop()).path, 'server { }}');
    await expect(proxy.apply(makeSite('third', upstream.port), siteWork())).rejects.toThrow(/was broken before/);
    expect(await proxy.apply(shop(), siteWork())).toEqual({ changed: true });
    expect(await statusOf(shop())).toBe(200);
  });

  test('the next change repairs manual edits of shared files', async () => {
    const proxyFile = join(nginx.directory, 'tenantry', 'common', 'proxy.inc');
    await writeFile(proxyFile, 'nonsense;');
    await rm(join(nginx.sites, '00-tenantry.conf'));
    expect(await proxy.apply(shop(), siteWork())).toEqual({ changed: true });
    expect(await readFile(proxyFile, 'utf8')).toContain('proxy_http_version 1.1;');
    expect((await visit(nginx.httpPort, 'unknown.example')).status).toBe(404);
  });

  test('detects a manual edit that removes another tenant, and rolls the change back', async () => {
    const text = proxy.render(other).text.replaceAll('server_name other.example', 'server_name elsewhere.example');
    await writeFile(proxy.render(other).path, text);
    await expect(proxy.apply(shop(), siteWork())).rejects.toThrow(
      /another site no longer answered after the change: other\.example/,
    );
    expect(await proxy.state(shop())).toBe('missing');
    expect(await leftOver()).toEqual([]);
  });

  test.each([
    ['new', false],
    ['changed', true],
  ])('a full disk: keeps the old file and reports the reason (%s site)', async (_, existed) => {
    if (existed) await proxy.apply(shop(), siteWork());
    await nginx.stop();
    const before = await readdir(nginx.sites);
    // Only the sites are on a disk of 64 kB.
    const aside = `${nginx.sites}-aside`;
    await rename(nginx.sites, aside);
    await mkdir(nginx.sites);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', nginx.sites]);
    try {
      for (const name of before) await writeFile(join(nginx.sites, name), await readFile(join(aside, name)));
      await nginx.start();
      await writeFile(join(nginx.sites, 'filler'), Buffer.alloc(64 * 1024)).catch(() => undefined);
      const refused = proxy.apply(shop({ domain: 'full.example' }), siteWork());
      await expect(refused).rejects.toMatchObject({ code: 'insufficient_storage' });
      await expect(refused).rejects.toThrow(/ENOSPC/);
      expect(await proxy.state(shop())).toBe(existed ? 'in_sync' : 'missing');
      expect(await statusOf(other)).toBe(200);
      expect(await leftOver()).toEqual(['filler']);
      await rm(join(nginx.sites, 'filler'));
      expect(await proxy.apply(shop({ domain: 'full.example' }), siteWork())).toEqual({ changed: true });
    } finally {
      await nginx.stop();
      await run('umount', [nginx.sites]);
    }
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('nginx has stopped (%s): restores the old file', async (signal) => {
    await proxy.apply(shop(), siteWork());
    await nginx.endAll(signal);
    const failed = proxy.apply(shop({ domain: 'moved.example' }), siteWork());
    await expect(failed).rejects.toMatchObject({ code: 'proxy_unavailable' });
    await expect(failed).rejects.toThrow(/nginx\.pid|No such process/);
    await expect(proxy.remove(other.tenant, siteWork())).rejects.toMatchObject({ code: 'proxy_unavailable' });
    await expect(proxy.reload()).rejects.toMatchObject({ code: 'proxy_unavailable' });
    expect(await proxy.availability()).toEqual({
      available: false,
      reason: expect.stringMatching(/does not answer at 127\.0\.0\.1:\d+: connection refused/),
    });
    expect(await proxy.state(shop())).toBe('in_sync');
    expect(await proxy.state(other)).toBe('in_sync');
    expect(await leftOver()).toEqual([]);

    await nginx.start();
    expect(await proxy.apply(shop({ domain: 'moved.example' }), siteWork())).toEqual({ changed: true });
    expect(await statusOf(shop({ domain: 'moved.example' }))).toBe(200);
  });

  test('detects a master process that has exited while its workers still answer', async () => {
    await nginx.killMaster();
    const failed = proxy.apply(shop(), siteWork());
    await expect(failed).rejects.toMatchObject({ code: 'proxy_unavailable' });
    await expect(failed).rejects.toThrow('No such process');
    expect(await proxy.state(shop())).toBe('missing');
    expect(await statusOf(other)).toBe(200);
    await nginx.endAll('SIGKILL');
  });

  test('rolls back a reload that nginx accepts but cannot apply, and reports its error log', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    // A foreign server in the include directory uses an occupied port: `nginx -t` does not detect it.
    await writeFile(join(nginx.sites, 'taken.conf'), `server { listen 127.0.0.1:${port}; return 204; }\n`);
    const refused = proxy.apply(shop(), siteWork());
    await expect(refused).rejects.toThrow(/did not apply the configuration, it was rolled back/);
    await expect(refused).rejects.toThrow(`bind() to 127.0.0.1:${port} failed (98: Address already in use)`);
    expect(await proxy.state(shop())).toBe('missing');
    expect(await statusOf(other)).toBe(200);
    taken.close();
  });

  test('detects that another site’s certificate is served, though nginx reports no error', async () => {
    const [mine, wrong] = await Promise.all([makeCertificate('shop.example'), makeCertificate('shop.example')]);
    await proxy.putCertificate(shop().tenant, { ...wrong, fingerprint: mine.fingerprint });
    const refused = proxy.apply(shop({ tls: certificateTls(mine) }), siteWork());
    await expect(refused).rejects.toThrow(/shop\.example over TLS: another certificate is served/);
    expect(await proxy.state(shop())).toBe('missing');
    expect(await statusOf(other)).toBe(200);
  });

  test('nginx rejects a certificate with another’s key before anything changes', async () => {
    const [mine, wrong] = await Promise.all([makeCertificate('shop.example'), makeCertificate('shop.example')]);
    await proxy.putCertificate(shop().tenant, { ...mine, privateKey: wrong.privateKey });
    const reloads = nginx.reloads;
    await expect(proxy.apply(shop({ tls: certificateTls(mine) }), siteWork())).rejects.toThrow(/key values mismatch/);
    expect(nginx.reloads).toBe(reloads);
  });

  test('keeps only certificates that a site uses, and a new one until its site arrives', async () => {
    const directory = join(nginx.directory, 'tenantry', 'certificates', 'shop');
    const [first, second, third] = [
      await makeCertificate('shop.example'),
      await makeCertificate('shop.example'),
      await makeCertificate('shop.example'),
    ] as const;
    const fingerprints = async (): Promise<Set<string>> =>
      new Set((await readdir(directory)).map((name) => name.replace(/\.(crt|key)$/, '')));
    await proxy.putCertificate(shop().tenant, first);
    await proxy.apply(shop({ tls: certificateTls(first) }), siteWork());
    await proxy.putCertificate(shop().tenant, second);
    await proxy.apply(shop({ tls: certificateTls(first), hstsSeconds: 5 }), siteWork());
    expect(await fingerprints()).toEqual(new Set([first.fingerprint, second.fingerprint]));
    await proxy.apply(shop({ tls: certificateTls(second) }), siteWork());
    await proxy.putCertificate(shop().tenant, third);
    expect(await fingerprints()).toEqual(new Set([second.fingerprint, third.fingerprint]));
    await proxy.remove(shop().tenant, siteWork());
    await expect(stat(directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('reports a challenge that nginx’s workers cannot read before the authority requests it', async () => {
    await proxy.challenges?.put('readable', 'readable.thumbprint');
    await chmod(nginx.directory, 0o700);
    const unreadable = proxy.challenges?.put('unreadable', 'unreadable.thumbprint');
    await expect(unreadable).rejects.toThrow(/answers 403: its workers must be able to read .*\/challenges/);
    expect(await readdir(join(nginx.directory, 'tenantry', 'challenges'))).toEqual(['readable']);
    await nginx.stop();
    await expect(proxy.challenges?.put('late', 'late.thumbprint')).rejects.toMatchObject({ code: 'proxy_unavailable' });
  });

  describe('a manager killed during a change', () => {
    /** What a kill after the swap leaves: the new file active, the previous one next to it. */
    const swapAsKilled = async (site: Site): Promise<void> => {
      const { path } = proxy.render(site);
      const former = join(nginx.sites, `.${site.tenant.slug}.former`);
      await link(path, former).catch(() => writeFile(former, ''));
      await rm(path, { force: true });
      await writeSite(site);
    };

    test('the next manager verifies the change again', async () => {
      await swapAsKilled(shop());
      const next = await nginx.proxy();
      expect(await next.apply(shop(), siteWork())).toEqual({ changed: true });
      expect(await statusOf(shop())).toBe(200);
      expect(await leftOver()).toEqual([]);
      await next.close();
    });

    test('the next manager rolls back what it cannot verify', async () => {
      await proxy.apply(shop(), siteWork());
      const [mine, wrong] = await Promise.all([makeCertificate('shop.example'), makeCertificate('shop.example')]);
      await proxy.putCertificate(shop().tenant, { ...wrong, fingerprint: mine.fingerprint });
      const unprovable = shop({ tls: certificateTls(mine) });
      await swapAsKilled(unprovable);
      const next = await nginx.proxy();
      await expect(next.apply(unprovable, siteWork())).rejects.toThrow(/another certificate is served/);
      expect(await next.state(shop())).toBe('in_sync');
      expect(await statusOf(shop())).toBe(200);
      expect(await leftOver()).toEqual([]);
      await next.close();
    });

    test('clears leftover candidates', async () => {
      await writeFile(join(nginx.directory, '.tenantry-candidate-0123.conf'), 'events {}');
      await mkdir(join(nginx.directory, 'tenantry', 'candidates', 'x'), { recursive: true });
      await (await nginx.proxy()).close();
      expect(await leftOver()).toEqual([]);
      await expect(stat(join(nginx.directory, 'tenantry', 'candidates', 'x'))).rejects.toMatchObject({
        code: 'ENOENT',
      });
    });
  });

  describe('an operator’s main configuration', () => {
    const include = (): string => `include ${nginx.sites}/*.conf;`;
    const mainOf = (inHttp: string): string =>
      `pid nginx.pid;\nerror_log ${nginx.errorLog};\nevents { }\nhttp {\n${inHttp}\n}\n`.replace(
        'pid nginx.pid',
        `pid ${nginx.directory}/nginx.pid`,
      );
    const restartWith = async (text: string): Promise<ReverseProxy> => {
      await nginx.stop();
      await writeFile(nginx.mainConfig, text);
      const next = await nginx.proxy();
      await nginx.start();
      return next;
    };

    test('without the include: reports the line to add, and the file', async () => {
      await writeFile(nginx.mainConfig, mainOf(`# ${include()}\nserver { ${include()} }`));
      const next = await nginx.proxy();
      const named = `${nginx.mainConfig} does not include the tenants’ sites. Add this line to its http block: ${include()}`;
      expect(await next.availability()).toEqual({ available: false, reason: named });
      const refused = next.apply(shop(), siteWork());
      await expect(refused).rejects.toMatchObject({ code: 'proxy_unavailable', message: named });
      expect(await next.state(shop())).toBe('missing');
      // So that a tenant without a site can be deleted, and a rejected deployment counts as rolled back.
      expect(await next.remove(shop().tenant, siteWork())).toEqual({ removed: false });
      await next.close();
    });

    test.each([
      ['in the main file', ''],
      ['in an included file', 'hashes.inc'],
    ])('with settings that may appear only once (%s)', async (_, file) => {
      const hashes = 'server_names_hash_bucket_size 128;\nserver_names_hash_max_size 1024;\n';
      if (file) await writeFile(join(nginx.directory, file), hashes);
      // Relative paths start at the main file's directory.
      const text = mainOf(`${file ? `include ${file};` : hashes}\n  include "tenantry/sites/*.conf";`);
      const next = await restartWith(text);
      expect(await next.availability()).toMatchObject({ available: true });
      expect(await next.apply(shop(), siteWork())).toEqual({ changed: true });
      expect(await next.test()).toMatchObject({ valid: true });
      expect(await statusOf(shop())).toBe(200);
      expect(await readFile(nginx.mainConfig, 'utf8')).toBe(text);
      await next.close();
    });

    test('a running nginx loads the sites when the manager starts', async () => {
      await nginx.stop();
      await rm(nginx.sites, { recursive: true });
      await mkdir(nginx.sites);
      await writeFile(
        nginx.mainConfig,
        mainOf(`${include()}\nserver { listen 127.0.0.1:${nginx.httpPort} default_server; return 204; }`),
      );
      await nginx.start();
      const next = await nginx.proxy();
      expect(await next.availability()).toMatchObject({ available: true });
      expect((await visit(nginx.httpPort, 'unknown.example')).status).toBe(204);
      await next.close();
    });

    test('nginx’s messages about it name its own line', async () => {
      await appendFile(nginx.mainConfig, '\nnonsense;\n');
      const lines = (await readFile(nginx.mainConfig, 'utf8')).split('\n').indexOf('nonsense;') + 1;
      await expect(proxy.apply(shop(), siteWork())).rejects.toThrow(
        `unknown directive "nonsense" in ${nginx.mainConfig}:${lines}`,
      );
    });
  });

  describe('nginx that cannot be used', () => {
    test('is not installed', async () => {
      const next = await nginx.proxy({ binary: '/no/such/nginx' });
      expect(await next.availability()).toEqual({
        available: false,
        reason: expect.stringContaining('could not be run'),
      });
      for (const failing of [next.apply(shop(), siteWork()), next.test(), next.reload()]) {
        await expect(failing).rejects.toMatchObject({ code: 'proxy_unavailable' });
      }
      expect(await next.state(shop())).toBe('missing');
      await next.close();
    });

    test('is too old, or reports no version', async () => {
      for (const [version, expected] of [
        ['nginx/1.18.0', /1\.18\.0 is too old: 1\.19\.4/],
        ['what?', /did not report its version/],
      ] as const) {
        const run = async () => ({ exitCode: 0, output: `nginx version: ${version}\n`, timedOut: false });
        const next = await nginx.proxy({ run });
        expect(await next.availability()).toEqual({ available: false, reason: expect.stringMatching(expected) });
        await next.close();
      }
    });

    test('does not wait for an nginx that hangs', async () => {
      const stuck = join(nginx.directory, 'stuck');
      await writeFile(stuck, '#!/bin/sh\nexec sleep 600\n');
      await chmod(stuck, 0o755);
      const next = await nginx.proxy({ binary: stuck, programTimeoutMs: 300 });
      await expect(next.apply(shop(), siteWork())).rejects.toMatchObject({
        code: 'proxy_unavailable',
        message: 'nginx -t did not end in time',
      });
      await next.close();
    });

    test('another process listens on the port', async () => {
      await nginx.stop();
      const stranger = createServer((socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'));
      await new Promise<void>((resolve) => stranger.listen(nginx.httpPort, '127.0.0.1', resolve));
      expect(await proxy.availability()).toEqual({
        available: false,
        reason: expect.stringContaining('does not run with Tenantry’s configuration: 200 "hi"'),
      });
      stranger.close();
    });
  });

  test('keeps the sites across a restart of nginx and its host', async () => {
    await nginx.stop();
    await nginx.start();
    const answers = await poll(async () => (await statusOf(other)) === 200 || undefined, { timeoutMs: patienceMs });
    expect(answers).toBe(true);
  });
});
