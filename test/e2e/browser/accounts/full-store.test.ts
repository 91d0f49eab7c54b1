import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeInBrowser, screen, visit } from '../../../harness/browser/browser.ts';
import { until } from '../../../harness/data/tenants.ts';
import { describeMariaDb } from '../../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../../harness/servers/mariadb-server.ts';

// The server's own limit answers as a full disk does, and harms no other program's files.
const small = [
  '--innodb-file-per-table=0',
  '--innodb-autoextend-increment=1',
  '--innodb-data-file-path=ibdata1:12M:autoextend:max:24M',
];

const fulfilled = [() => true, () => false] as const;

describeInBrowser(
  'a full disk of the manager’s database server',
  () => {
    let server: MariaDb;
    let app: App;
    beforeAll(async () => {
      server = await startMariaDb('127.0.0.1', small);
      app = await startApp({ environment: { DATABASE_URL: await server.newDatabase() } });
    });
    afterAll(async () => {
      await app?.stop();
      await server?.stop();
    });
    /** Others' rows take what the server may take. */
    async function fill(): Promise<void> {
      const connection = await createConnection(server.adminUrl);
      await connection.query('CREATE DATABASE others');
      await connection.query('CREATE TABLE others.rows_of_others (content LONGBLOB)');
      for (let size = 2 ** 20; size > 2 ** 12; size /= 2) {
        const insert = () => connection.query('INSERT INTO others.rows_of_others VALUES (?)', [Buffer.alloc(size)]);
        while (await insert().then(...fulfilled));
      }
      await connection.end();
    }
    const readiness = async () => (await app.call<{ status: string; store: string }>('GET', '/readyz')).body;

    test('is named by the failed request, by /readyz and on the sign-in page; reading goes on', async () => {
      expect(await readiness()).toMatchObject({ store: 'up' });
      await fill();
      const notes = 'x'.repeat(10_000);
      let at = 0;
      const refused = await until(
        () => {
          at += 1;
          const names = { slug: `row-${at}`, domain: `t${at}.example`, api_domain: `api.t${at}.example` };
          return app.call<{ code: string; detail: string }>('POST', '/api/tenants', {
            body: { name: 'Row', notes, ...names },
          });
        },
        ({ status }) => status !== 201,
      );
      expect([refused.status, refused.body.code]).toEqual([507, 'insufficient_storage']);
      expect(refused.body.detail).toContain('The disk of the manager’s database is full: make room on it');
      expect(await readiness()).toMatchObject({ status: 'degraded', store: 'full' });
      expect((await app.call('GET', '/api/tenants')).status).toBe(200);
      const { page, complaints } = await visit(app.manager.dashboardUrl ?? '');
      await page.goto('/');
      await page.getByRole('status').filter({ hasText: 'The disk of the manager’s database is full' }).waitFor();
      expect(await screen(page, 'sign-in-full-store')).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  },
  describeMariaDb,
);
