import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, until } from '../../harness/data/tenants.ts';
import { type AcmeServer, startAcmeServer } from '../../harness/proxy/acme-server.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { claimPort80 } from '../../harness/proxy/port-80.ts';
import { keepVisiting } from '../../harness/proxy/visitor.ts';
import {
  deployed,
  makeDue,
  overHttp,
  overTls,
  renew,
  servedWith,
  setupSsl,
  siteOf,
  tenantAt,
  trusts,
  warningsOf,
} from './certificates-world.ts';

const names = ['first', 'second', 'moved', 'later', 'trouble'].flatMap((name) => [
  `${name}.tenantry-test.example`,
  `api.${name}.tenantry-test.example`,
]);

describeWithNginx('ACME, with a real authority', () => {
  let port80: Awaited<ReturnType<typeof claimPort80>> | undefined;
  let directory: string;
  let authority: AcmeServer;
  let proxied: ProxiedApp;
  const root = (): string => join(directory, 'root.pem');

  beforeAll(async () => {
    port80 = await claimPort80();
    await port80.pointHere(names);
    authority = await startAcmeServer();
    directory = await mkdtemp(join(tmpdir(), 'tenantry-acme-'));
    await writeFile(root(), authority.rootCertificate);
    proxied = await startProxiedApp({
      CERTIFICATES: 'acme',
      PROXY_HTTP_PORT: '80',
      ACME_DIRECTORY_URL: authority.directoryUrl,
      ACME_CA_FILE: root(),
      ACME_EMAIL: 'operator@tenantry-test.example',
    });
  });
  afterAll(async () => {
    await proxied?.destroy();
    await authority?.stop();
    await port80?.release();
    await rm(directory, { recursive: true, force: true });
  });

  /** The logs of all operations, also of deleted tenants. */
  const operationLogs = async (): Promise<string> => {
    const place = join(proxied.app.directory, 'data', 'operations');
    const texts = (await readdir(place)).map((name) => readFile(join(place, name), 'utf8'));
    return (await Promise.all(texts)).join('\n');
  };
  const tenantOf = async (wanted: string): Promise<string> => {
    const { body } = await proxied.app.call<{ tenants: { id: string; domain: string }[] }>('GET', '/api/tenants');
    return body.tenants.find(({ domain }) => domain === wanted)?.id ?? '';
  };

  test('a deployed tenant is served over TLS by both names, with the authority’s certificate', async () => {
    const domain = 'first.tenantry-test.example';
    const tenant = await tenantAt(proxied, domain);
    const deployment = await deploy(proxied.app, tenant.id);
    expect(deployment).toMatchObject({ status: 'success', error: null });
    expect(setupSsl(deployment)).toEqual({ status: 'success', reason: null });
    for (const name of [domain, `api.${domain}`])
      expect(await trusts(proxied, name, authority.rootCertificate)).toBe(true);
    expect(await overTls(proxied, domain)).toMatchObject({ status: 200 });
    expect((await overHttp(proxied, domain)).status).toBe(308);

    const { certificates, next_attempt_at, certificate_error } = await siteOf(proxied.app, tenant.id);
    const [certificate] = certificates;
    expect(certificate).toMatchObject({ source: 'acme', fingerprint: await servedWith(proxied, domain) });
    expect(certificate?.issuer).toContain('Caddy Local Authority');
    expect(deployment.logs).toContain(`: acme, by ${certificate?.issuer}, until ${certificate?.not_after}`);
    expect(deployment.logs).not.toContain('PRIVATE KEY');
    expect(certificate_error).toBeNull();
    // Two thirds of twelve hours.
    const hours = (Date.parse(next_attempt_at ?? '') - Date.now()) / 3_600_000;
    expect(Math.abs(hours - 7.8)).toBeLessThan(0.4);
    // No challenge answer is left behind, and neither the store nor the disk shows a key to others.
    const place = join(proxied.nginx.directory, 'tenantry');
    expect(await readdir(join(place, 'challenges'))).toEqual([]);
    const db = new BetterSqlite(join(proxied.app.directory, 'data', 'tenantry.db'), { readonly: true });
    const sealed = [
      ...db.prepare('SELECT sealed FROM certificates').all(),
      ...db.prepare('SELECT sealed FROM acme_accounts').all(),
    ] as { sealed: string }[];
    db.close();
    expect(sealed).toHaveLength(2);
    for (const row of sealed) expect(row.sealed).toMatch(/^v1\.[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('renewal serves a new certificate without a failed visit, and removes the old one’s files', async () => {
    const domain = 'second.tenantry-test.example';
    const tenant = await tenantAt(proxied, domain);
    await deployed(proxied, tenant.id);
    const first = await servedWith(proxied, domain);
    makeDue(proxied.app, tenant.id);
    const visitors = [
      keepVisiting(proxied.nginx.httpsPort, domain, { tls: {} }),
      keepVisiting(proxied.nginx.httpsPort, `api.${domain}`, { tls: {}, path: '/api/health' }),
    ];
    expect(await renew(proxied)).toBe(1);
    const seen = await Promise.all(visitors.map((visitor) => visitor.stop()));
    for (const { visits, failures } of seen) expect([visits > 0, failures]).toEqual([true, []]);
    const second = await servedWith(proxied, domain);
    expect(second).not.toBe(first);
    expect(await trusts(proxied, domain, authority.rootCertificate)).toBe(true);
    const files = await readdir(join(proxied.nginx.directory, 'tenantry', 'certificates', tenant.slug));
    expect(files.sort()).toEqual([`${second}.crt`, `${second}.key`]);
    expect((await siteOf(proxied.app, tenant.id)).certificates).toHaveLength(1);

    // A restarted manager has account and certificate; it requests nothing.
    await proxied.restart();
    expect(await renew(proxied)).toBe(0);
    const again = await deploy(proxied.app, tenant.id);
    expect(again.logs).not.toContain('Obtaining');
    expect(await servedWith(proxied, domain)).toBe(second);
  });

  test('other host names get their own certificate', async () => {
    const [before, after] = ['first.tenantry-test.example', 'moved.tenantry-test.example'];
    const id = await tenantOf(before);
    await proxied.app.call('PUT', `/api/tenants/${id}`, { body: { domain: after, api_domain: `api.${after}` } });
    // After a reload, a worker with the previous configuration accepts connections for a moment.
    const served = (domain: string) => trusts(proxied, domain, authority.rootCertificate).catch(() => false);
    for (const domain of [`api.${after}`, after])
      await until(
        () => served(domain),
        (trusted) => trusted,
      );
    await until(
      () => served(before),
      (trusted) => !trusted,
    );
    await expect(overTls(proxied, before)).rejects.toThrow();
  });

  test('deleting a tenant revokes its certificate, once the site is removed', async () => {
    const domain = 'later.tenantry-test.example';
    const tenant = await tenantAt(proxied, domain);
    await deployed(proxied, tenant.id);
    const gone = await proxied.app.call('DELETE', `/api/tenants/${tenant.id}`);
    expect(gone.body).toMatchObject({ removed: { proxy: true } });
    expect(await operationLogs()).toContain(`Revoked the certificate of api.${domain}, ${domain}`);
    await expect(overTls(proxied, domain)).rejects.toThrow();
  });

  test('an unavailable, then an untrusted authority: served over HTTP, reported, and repaired later', async () => {
    const domain = 'trouble.tenantry-test.example';
    const tenant = await tenantAt(proxied, domain);
    await authority.stop();
    await expectOverHttp(tenant.id, domain, /Certificate authority 127\.0\.0\.1:\d+: it cannot be reached/);

    // It does not delay a deletion.
    const other = await tenantOf('second.tenantry-test.example');
    expect((await proxied.app.call('DELETE', `/api/tenants/${other}`)).body).toMatchObject({
      removed: { proxy: true },
    });
    expect((await warningsOf(proxied.app, other))[0]).toMatch(/could not be revoked: .*it cannot be reached/);

    // Set up again, with another root than the one in ACME_CA_FILE.
    authority = await startAcmeServer({ port: Number(new URL(authority.directoryUrl).port) });
    await expectOverHttp(tenant.id, domain, /ACME_CA_FILE/);

    // It no longer knows our account.
    await writeFile(root(), authority.rootCertificate);
    await proxied.restart();
    expect(await renew(proxied)).toBe(0);
    makeDue(proxied.app, tenant.id);
    expect(await renew(proxied)).toBe(1);
    expect(await trusts(proxied, domain, authority.rootCertificate)).toBe(true);
    expect(await siteOf(proxied.app, tenant.id)).toMatchObject({ certificate_error: null, state: 'in_sync' });
    expect((await overHttp(proxied, domain)).status).toBe(308);
  });

  test('an unreachable name: served over HTTP, reported with the name; another name works immediately', async () => {
    const domain = 'later.tenantry-test.example';
    const tenant = await tenantAt(proxied, domain, 'api.nowhere.tenantry-test.example');
    await expectOverHttp(tenant.id, domain, /api\.nowhere\.tenantry-test\.example: /);
    expect(await readdir(join(proxied.nginx.directory, 'tenantry', 'challenges'))).toEqual([]);
    await proxied.app.call('PUT', `/api/tenants/${tenant.id}`, { body: { api_domain: `api.${domain}` } });
    await until(
      () => trusts(proxied, `api.${domain}`, authority.rootCertificate).catch(() => false),
      (trusted) => trusted,
    );
  });

  /** A deployment that succeeds without a certificate, and reports this reason everywhere. */
  async function expectOverHttp(id: string, domain: string, reason: RegExp): Promise<void> {
    const warnings = (await warningsOf(proxied.app, id)).length;
    const deployment = await deploy(proxied.app, id);
    expect(deployment).toMatchObject({ status: 'success', error: null });
    const step = setupSsl(deployment);
    expect(step.status).toBe('skipped');
    expect(step.reason).toMatch(reason);
    expect(step.reason).toContain('the site is up over HTTP');
    expect(deployment.logs).not.toContain('PRIVATE KEY');
    expect(await overHttp(proxied, domain)).toMatchObject({ status: 200 });
    const site = await siteOf(proxied.app, id);
    expect(site.certificate_error).toMatch(reason);
    expect(Date.parse(site.next_attempt_at ?? '')).toBeGreaterThan(Date.now());
    expect(step.reason).toContain(site.next_attempt_at);
    // Not before its time.
    expect(await renew(proxied)).toBe(0);
    const reported = await warningsOf(proxied.app, id);
    expect(reported).toHaveLength(warnings + 1);
    expect(reported[0]).toMatch(reason);
  }
});
