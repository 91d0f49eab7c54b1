import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { inboxOf } from '../../api/incidents/incident-answers.ts';
import type { App } from '../../harness/app/app.ts';
import { type ProxiedApp, proxyOf, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { type NameServer, startNameServer } from '../../harness/servers/dns.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { issue } from '../../unit/adapters/certificates/issue.ts';
import { diagnosed, diagnosisOf, setSettings, well } from './faults.ts';

const address = '203.0.113.7';
const [domain, expiring, early] = ['well.example.org', 'expiring.example.org', 'early.example.org'];
const zone: Record<string, string[]> = Object.fromEntries(
  [domain, expiring, early].flatMap((name) => [name, `api.${name}`]).map((name) => [name, [address]]),
);

describeWithNginx('the diagnosis of the servers around a tenant', () => {
  describeMariaDb('with a shared database', () => {
    let directory: string;
    let server: MariaDb;
    let admin: Connection;
    let names: NameServer;
    let proxied: ProxiedApp;
    let app: App;
    let tenant: TenantAnswer;
    /** The last test ends the database server. */
    let isOver = false;

    const at = (name: string): Promise<TenantAnswer> =>
      makeTenant(app, join(directory, 'repository'), { domain: name, api_domain: `api.${name}` });
    const ask = async (sql: string): Promise<string[]> => {
      const [rows] = await admin.query<RowDataPacket[]>(sql);
      return Array.isArray(rows) ? rows.map((row) => String(Object.values(row)[0])) : [];
    };
    async function certify(name: string, validity: { from?: Date; until?: Date } = {}): Promise<void> {
      const { pem, key } = await issue({ names: [name, `api.${name}`], ...validity });
      await writeFile(join(directory, `${name}.crt`), pem);
      await writeFile(join(directory, `${name}.key`), key);
    }
    const reload = async (): Promise<void> => process.kill(proxied.nginx.masterPid, 'SIGHUP') && undefined;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'tenantry-diagnosis-'));
      await makeFaultyRepository(join(directory, 'repository'));
      server = await startMariaDb();
      admin = await createConnection(server.adminUrl);
      names = await startNameServer(zone);
      proxied = await startProxiedApp({
        TENANT_DATABASE_URL: server.adminUrl,
        CERTIFICATES: 'files',
        CERTIFICATE_DIRECTORY: directory,
        DNS_SERVERS: names.address,
      });
      ({ app } = proxied);
      await setSettings(app, { health_check_timeout: 2, public_addresses: address });
      await certify(domain);
      tenant = await at(domain);
      expect(await deploy(app, tenant.id, { target_version: 'v2.1.0' })).toMatchObject({ error: null });
    });
    afterAll(async () => {
      await proxied.destroy();
      admin.destroy();
      await server.stop();
      await names.stop();
      await rm(directory, { recursive: true, force: true });
    });
    afterEach(async () => {
      if (isOver) return;
      await failWith(app, tenant, 'api', 'none');
      await well(app, tenant.id);
    });

    test('a healthy tenant has no cause', async () => {
      expect(await well(app, tenant.id)).toMatchObject({ cause: null, known: true });
    });

    test('a database server that hangs, with and without a crash', async () => {
      await server.suspend();
      try {
        const { cause } = await diagnosed(app, tenant.id, 'database_silent');
        expect(cause?.scope.kind).toBe('database_server');
        await failWith(app, tenant, 'api', 'exit-3');
        await diagnosed(app, tenant.id, 'database_silent');
      } finally {
        server.resume();
      }
    });

    test('a database server without a connection left', async () => {
      await ask('SET GLOBAL max_connections = 10');
      const taken: Connection[] = [];
      try {
        for (let count = 0; count < 12; count += 1)
          taken.push(
            ...(await createConnection(server.adminUrl).then(
              (one) => [one],
              () => [],
            )),
          );
        await diagnosed(app, tenant.id, 'database_connections');
      } finally {
        await ask('SET GLOBAL max_connections = 151');
        for (const one of taken) await one.end();
      }
    });

    test('a query of the application that does not end', async () => {
      const { directory: home } = spaceOf(await app.manager.app.tenants.get(tenant.id));
      const { DATABASE_URL: url = '' } = parseEnv(await readFile(join(home, '.env'), 'utf8'));
      const application = await createConnection(url);
      const query = application.query('SELECT SLEEP(120)').catch(() => undefined);
      try {
        // Pages that answer don't wait for it.
        await sleep(6_000);
        await well(app, tenant.id);
        await failWith(app, tenant, 'api', 'hang');
        const { cause } = await diagnosed(app, tenant.id, 'database_slow');
        expect(cause?.evidence.map(({ fact }) => fact)).toEqual([
          expect.stringMatching(/^The longest query has been running for \d+ s, on \d+ connections$/),
          expect.stringMatching(/^The database’s size: [\d.]+ MiB$/),
          expect.stringContaining('The API’s page: '),
        ]);
      } finally {
        application.destroy();
        await query;
      }
      await diagnosed(app, tenant.id, 'application_hangs');
    });

    test('an account with another password, which a deployment sets again', async () => {
      const [user = ''] = await ask("SELECT user FROM mysql.user WHERE user LIKE 'tenantry\\_%'");
      const [host = ''] = await ask(`SELECT host FROM mysql.user WHERE user = '${user}'`);
      await ask(`ALTER USER '${user}'@'${host}' IDENTIFIED BY 'another'`);
      const { cause } = await diagnosed(app, tenant.id, 'database_refused');
      expect(cause?.remedy?.action).toBe('redeploy');
      expect(await deploy(app, tenant.id, { target_version: 'v2.1.0' })).toMatchObject({ error: null });
    });

    test('an account whose password has expired', async () => {
      const [user = ''] = await ask("SELECT user FROM mysql.user WHERE user LIKE 'tenantry\\_%'");
      const [host = ''] = await ask(`SELECT host FROM mysql.user WHERE user = '${user}'`);
      await ask(`ALTER USER '${user}'@'${host}' PASSWORD EXPIRE`);
      const { cause } = await diagnosed(app, tenant.id, 'database_refused');
      expect(cause?.evidence[0]?.fact).toContain('the password of the tenant’s account has expired');
      expect(await deploy(app, tenant.id, { target_version: 'v2.1.0' })).toMatchObject({ error: null });
    });

    test('a database that was dropped', async () => {
      const [name = ''] = await ask("SHOW DATABASES LIKE 'tenantry\\_%'");
      await ask(`DROP DATABASE \`${name}\``);
      await diagnosed(app, tenant.id, 'database_missing');
      await ask(`CREATE DATABASE \`${name}\``);
    });

    test('a host name that leads elsewhere, or nowhere', async () => {
      const before = zone[domain] ?? [];
      zone[domain] = ['198.51.100.9'];
      await diagnosed(app, tenant.id, 'dns_elsewhere');
      delete zone[domain];
      await diagnosed(app, tenant.id, 'dns_missing');
      zone[domain] = before;
    });

    test('a healthy tenant without visitors needs attention from the second time on', async () => {
      const attention = async (): Promise<string[]> => {
        await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
        await app.manager.findUnseenFaults();
        const { body } = await app.call<{ items: { kind: string; tenant: { id: string } }[] }>('GET', '/api/attention');
        return body.items.filter((item) => item.tenant.id === tenant.id).map(({ kind }) => kind);
      };
      await well(app, tenant.id);
      expect(await attention()).toEqual([]);
      const before = zone[domain] ?? [];
      delete zone[domain];
      expect(await attention()).toEqual([]);
      expect(await attention()).toEqual(['dns_missing']);
      zone[domain] = before;
      expect(await attention()).toEqual(['dns_missing']);
      expect(await attention()).toEqual([]);
      await failWith(app, tenant, 'api', 'other-key');
      await until(attention, (kinds) => kinds.includes('api_key_refused'));
      await failWith(app, tenant, 'api', 'none');
      await well(app, tenant.id);
      expect(await attention()).toEqual(['api_key_refused']);
      expect(await attention()).toEqual([]);
    });

    test('a site that was changed by hand, or removed', async () => {
      const { path } = await proxyOf(app, tenant.id);
      const file = path ?? '';
      const text = await readFile(file, 'utf8');
      try {
        await writeFile(
          file,
          text.replaceAll(String(tenant.frontend_port), '9').replaceAll(String(tenant.backend_port), '9'),
        );
        await reload();
        const { cause } = await diagnosed(app, tenant.id, 'site_changed');
        expect(cause?.remedy?.action).toBe('repair_site');
        await rm(file);
        await reload();
        await diagnosed(app, tenant.id, 'site_changed');
      } finally {
        await writeFile(file, text);
        await reload();
      }
    });

    test('another certificate at the proxy', async () => {
      const { configuration } = await proxyOf(app, tenant.id);
      const [, file = ''] = /ssl_certificate (\S+);/.exec(configuration ?? '') ?? [];
      const [, keyFile = ''] = /ssl_certificate_key (\S+);/.exec(configuration ?? '') ?? [];
      const own = [await readFile(file, 'utf8'), await readFile(keyFile, 'utf8')] as const;
      const other = await issue({ names: ['other.example.org'] });
      try {
        await writeFile(file, other.pem);
        await writeFile(keyFile, other.key);
        await reload();
        await diagnosed(app, tenant.id, 'certificate_wrong_name');
      } finally {
        await writeFile(file, own[0]);
        await writeFile(keyFile, own[1]);
        await reload();
      }
    });

    test('another site at the proxy that takes the host name', async () => {
      const { configuration } = await proxyOf(app, tenant.id);
      const file = join(proxied.nginx.sites, '0-other.conf');
      await writeFile(file, (configuration ?? '').replaceAll(/proxy_pass .*;/g, 'return 502;'));
      await reload();
      try {
        const { cause } = await diagnosed(app, tenant.id, 'proxy_misroutes');
        expect(cause?.remedy?.action).toBe('repair_site');
      } finally {
        await rm(file);
        await reload();
      }
    });

    test('a reverse proxy that is away; a crash comes before it', async () => {
      await proxied.nginx.stop();
      try {
        const { cause } = await diagnosed(app, tenant.id, 'proxy_unavailable');
        expect(cause?.scope.kind).toBe('proxy');
        await failWith(app, tenant, 'api', 'exit-3');
        await diagnosed(app, tenant.id, 'unit_crashed');
      } finally {
        await proxied.nginx.start();
      }
    });

    test('a certificate that is not valid yet', async () => {
      await certify(early, { from: new Date(Date.now() + 60_000) });
      const other = await at(early);
      expect(await deploy(app, other.id, { target_version: 'v2.1.0' })).toMatchObject({ error: null });
      const { cause } = await diagnosed(app, other.id, 'certificate_not_yet_valid');
      expect(cause?.evidence[0]?.fact).toMatch(/^The certificate is valid from 20/);
    });

    test('a certificate that expires, and has expired', async () => {
      const until = new Date(Date.now() + 40_000);
      await certify(expiring, { until });
      const other = await at(expiring);
      expect(await deploy(app, other.id, { target_version: 'v2.1.0' })).toMatchObject({ error: null });
      const alerts = async (): Promise<unknown> => {
        await app.call('POST', `/api/tenants/${other.id}/health-check`);
        await app.manager.reportConditions();
        return (await inboxOf(app)).filter(({ event }) => event === 'certificate').map(({ title }) => title);
      };
      await diagnosed(app, other.id, 'certificate_expiring');
      const urgent = `${other.name}: The certificate expires in less than three days`;
      expect(await alerts()).toEqual([urgent]);
      await diagnosed(app, other.id, 'certificate_expired', 60_000);
      const expired = [`${other.name}: The certificate has expired`, urgent];
      expect(await alerts()).toEqual(expired);
      expect(await alerts()).toEqual(expired);
    });

    test('a database server that is away', async () => {
      isOver = true;
      await ask('SHUTDOWN').catch(() => undefined);
      await diagnosed(app, tenant.id, 'database_unreachable');
      await failWith(app, tenant, 'api', 'database-refused');
      // The log is further evidence for the same cause, once the unit has written it.
      await until(
        () => diagnosisOf(app, tenant.id),
        ({ cause }) => cause?.code === 'database_unreachable' && cause.evidence.length > 1,
      );
    });
  });
});
