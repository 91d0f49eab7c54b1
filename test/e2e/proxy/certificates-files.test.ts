import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { dayMs, type Issued, issue } from '../../unit/adapters/certificates/issue.ts';
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
  warningsOf,
} from './certificates-world.ts';

describeWithNginx('The operator’s own certificates', () => {
  let directory: string;
  let proxied: ProxiedApp;
  let tenants = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-certificates-'));
    proxied = await startProxiedApp({ CERTIFICATES: 'files', CERTIFICATE_DIRECTORY: directory });
  });
  afterAll(async () => {
    await proxied.destroy();
    await rm(directory, { recursive: true, force: true });
  });

  let tenant: TenantAnswer;
  let domain: string;
  let api: string;
  beforeEach(async () => {
    tenants += 1;
    domain = `own${tenants}.example.org`;
    api = `api.${domain}`;
    tenant = await tenantAt(proxied, domain);
  });

  const lay = async (name: string, { pem, key }: Pick<Issued, 'pem' | 'key'>): Promise<void> => {
    await writeFile(join(directory, `${name}.crt`), pem);
    await writeFile(join(directory, `${name}.key`), key);
  };
  const fingerprintOf = async ({ certificate }: Issued): Promise<string> =>
    Buffer.from(await certificate.getThumbprint('SHA-256')).toString('hex');
  const messages = async (): Promise<string[]> => {
    const { body } = await proxied.app.call<{ logs: { message: string }[] }>('GET', `/api/logs?tenant_id=${tenant.id}`);
    return body.logs.map(({ message }) => message).filter((message) => message.includes('certificate'));
  };

  test('serves a pair for both names; a second similar pair causes no switching', async () => {
    const [both, own] = [await issue({ names: [domain, api] }), await issue({ names: [domain, api] })];
    await lay(domain, both);
    const deployment = await deploy(proxied.app, tenant.id);
    expect(setupSsl(deployment)).toEqual({ status: 'success', reason: null });
    expect(deployment.logs).toContain(`Took the certificate of ${join(directory, domain)}.crt`);
    expect(deployment.logs).toContain(`Certificate for ${domain}, ${api}: files, by leaf, until `);
    expect(await servedWith(proxied, domain)).toBe(await fingerprintOf(both));
    expect(await servedWith(proxied, api)).toBe(await fingerprintOf(both));

    await lay(api, own);
    makeDue(proxied.app, tenant.id);
    await renew(proxied);
    const served = [await servedWith(proxied, domain), await servedWith(proxied, api)];
    makeDue(proxied.app, tenant.id);
    expect(await renew(proxied)).toBe(0);
    expect([await servedWith(proxied, domain), await servedWith(proxied, api)]).toEqual(served);
  });

  test('serves two pairs, each for its own name', async () => {
    const [first, second] = [await issue({ names: [domain] }), await issue({ names: [api] })];
    await lay(domain, first);
    await lay(api, second);
    expect(setupSsl(await deploy(proxied.app, tenant.id)).status).toBe('success');
    expect(await servedWith(proxied, domain)).toBe(await fingerprintOf(first));
    expect(await servedWith(proxied, api)).toBe(await fingerprintOf(second));
  });

  test('serves a wildcard for the names one label below it', async () => {
    const parent = `wild${tenants}.example.org`;
    const { app } = proxied;
    const wild = await issue({ names: [`*.${parent}`] });
    await lay(`_.${parent}`, wild);
    const covered = await tenantAt(proxied, `app.${parent}`, `api.${parent}`);
    expect(setupSsl(await deploy(app, covered.id))).toEqual({ status: 'success', reason: null });
    for (const name of [`app.${parent}`, `api.${parent}`])
      expect(await servedWith(proxied, name)).toBe(await fingerprintOf(wild));
    // Two labels below: not covered (RFC 9525, 6.3).
    const deeper = await tenantAt(proxied, `deep.${parent}`, `api.deep.${parent}`);
    expect(setupSsl(await deploy(app, deeper.id)).reason).toContain(`no certificate for api.deep.${parent}`);
  });

  test.each<[string, () => Promise<void>, () => string]>([
    [
      'is missing',
      async () => undefined,
      () => `no certificate for ${domain}: none of ${join(directory, domain)}.crt, `,
    ],
    [
      'has another’s key',
      async () => lay(domain, { pem: (await issue({ names: [domain, api] })).pem, key: (await issue({})).key }),
      () => 'the private key is not that of the certificate',
    ],
    [
      'is for other names',
      async () => lay(domain, await issue({ names: [`other.${domain}`, api] })),
      () => `it is not for ${domain} but for other.${domain}, ${api}`,
    ],
    [
      'has expired',
      async () =>
        lay(
          domain,
          await issue({
            names: [domain, api],
            from: new Date(Date.now() - 9 * dayMs),
            until: new Date(Date.now() - dayMs),
          }),
        ),
      () => 'it expired at ',
    ],
  ])(
    'one that %s: the deployment succeeds over HTTP and reports the reason; once repaired it is used',
    async (_, prepare, reason) => {
      const { app } = proxied;
      await prepare();
      const deployment = await deploy(app, tenant.id);
      expect(deployment).toMatchObject({ status: 'success', error: null });
      const step = setupSsl(deployment);
      expect(step.status).toBe('skipped');
      expect(step.reason).toContain(reason());
      expect(step.reason).toContain('the site is up over HTTP');
      expect(deployment.logs).not.toContain('PRIVATE KEY');
      expect(await overHttp(proxied, domain)).toMatchObject({ status: 200 });
      expect(await overHttp(proxied, api, '/api/health')).toMatchObject({ status: 200 });
      expect((await warningsOf(app, tenant.id))[0]).toContain(reason());
      const site = await siteOf(app, tenant.id);
      expect(site.certificate_error).toContain(reason());
      expect(Date.parse(site.next_attempt_at ?? '')).toBeGreaterThan(Date.now());
      expect(step.reason).toContain(site.next_attempt_at);

      const good = await issue({ names: [domain, api] });
      await lay(domain, good);
      expect(await renew(proxied)).toBe(0);
      makeDue(app, tenant.id);
      expect(await renew(proxied)).toBe(1);
      expect(await servedWith(proxied, api)).toBe(await fingerprintOf(good));
      expect(await siteOf(app, tenant.id)).toMatchObject({ certificate_error: null, state: 'in_sync' });
    },
    60_000,
  );

  test('a check finds a newer pair; an invalid one leaves the previous one in use', async () => {
    const { app } = proxied;
    const [first, second] = [await issue({ names: [domain, api] }), await issue({ names: [domain, api] })];
    await lay(domain, first);
    await deploy(app, tenant.id);
    // As before: checked, without a message.
    makeDue(app, tenant.id);
    const before = await messages();
    expect(await renew(proxied)).toBe(0);
    expect(await messages()).toEqual(before);
    const { next_attempt_at } = await siteOf(app, tenant.id);
    expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThan(Date.now());

    await lay(domain, second);
    makeDue(app, tenant.id);
    expect(await renew(proxied)).toBe(1);
    expect(await servedWith(proxied, domain)).toBe(await fingerprintOf(second));

    await writeFile(join(directory, `${domain}.key`), first.key);
    makeDue(app, tenant.id);
    expect(await renew(proxied)).toBe(0);
    const [warning] = await warningsOf(app, tenant.id);
    expect(warning).toContain('the private key is not that of the certificate');
    expect(warning).toContain('the site keeps the certificate it has');
    expect(await servedWith(proxied, domain)).toBe(await fingerprintOf(second));
    expect((await overTls(proxied, api, '/api/health')).status).toBe(200);
    // The previous one is installed again.
    await lay(domain, first);
    makeDue(app, tenant.id);
    expect(await renew(proxied)).toBe(1);
    expect(await servedWith(proxied, domain)).toBe(await fingerprintOf(first));
  });

  test('serves a completed chain, though the certificate is the same', async () => {
    const root = await issue({ subject: 'CN=root', ca: true });
    const middle = await issue({ subject: 'CN=middle', ca: true, by: root });
    const leaf = await issue({ names: [domain, api], by: middle });
    await lay(domain, leaf);
    await deployed(proxied, tenant.id);
    expect(await isTrusted(root)).toBe(false);
    await lay(domain, { pem: leaf.pem + middle.pem, key: leaf.key });
    makeDue(proxied.app, tenant.id);
    await renew(proxied);
    // Responses do not distinguish workers before and after the reload, and for a moment both respond.
    expect(await until(() => isTrusted(root), Boolean)).toBe(true);
  });

  /** Whether a browser with only the root trusts the site. */
  async function isTrusted(root: Issued): Promise<boolean> {
    const { httpsPort: port } = proxied.nginx;
    const socket = connect({ host: '127.0.0.1', port, servername: domain, ca: root.pem, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.destroy();
    return socket.authorized;
  }
});
