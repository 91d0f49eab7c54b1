/**
 * The peer of the benchmarks list and idle: only Express and Sequelize on the manager's SQLite file. The route runs
 * the same statements as the manager (page, count, host names, ports) and returns the same JSON.
 *
 *   PORT=… STORE=<path of the SQLite file> node bench/harness/bare-server.ts
 */
import express from 'express';
import { QueryTypes } from 'sequelize';
import { openSqlite } from '../../src/adapters/store/open.ts';

interface Row {
  id: string;
  name: string;
  slug: string;
  status: string;
  health_status: string;
  health_since: string | null;
  created_at: string;
  deployed_at: string | null;
}

const sequelize = await openSqlite(process.env.STORE ?? '');

const select = <T extends object>(sql: string, replacements: Record<string, unknown> = {}): Promise<T[]> =>
  sequelize.query<T>(sql, { type: QueryTypes.SELECT, replacements });

const columns =
  'id, name, slug, status, health_status, health_since, health_details, git_repo, git_repo_sealed, notes, directory, ' +
  'deployed_version, deployed_commit, deployed_release, created_at, deployed_at, search_text';

const app = express();
app.get('/readyz', (_request, response) => {
  response.json({ status: 'ready' });
});
app.get('/api/tenants', async (request, response) => {
  const limit = Number(request.query.limit);
  const offset = Number(request.query.offset ?? 0);
  const [rows, [counted]] = await Promise.all([
    select<Row>(`SELECT ${columns} FROM tenants ORDER BY created_at DESC, id DESC LIMIT ${offset}, ${limit}`),
    select<{ count: number }>('SELECT count(*) AS count FROM tenants'),
  ]);
  const ids = rows.map((row) => row.id);
  const domains = await select<{ domain: string; tenant_id: string; role: string }>(
    'SELECT domain, tenant_id, role FROM tenant_domains WHERE tenant_id IN (:ids)',
    { ids },
  );
  const ports = await select<{ port: number; tenant_id: string; role: string }>(
    'SELECT port, tenant_id, role FROM port_allocations WHERE tenant_id IN (:ids) ORDER BY port',
    { ids },
  );
  const domainOf = new Map(domains.map(({ domain, tenant_id, role }) => [`${tenant_id} ${role}`, domain]));
  const portOf = new Map(ports.map(({ port, tenant_id, role }) => [`${tenant_id} ${role}`, port]));
  response.json({
    tenants: rows.map((row) => ({
      id: row.id,
      name: row.name,
      slug: row.slug,
      domain: domainOf.get(`${row.id} frontend`),
      api_domain: domainOf.get(`${row.id} api`),
      status: row.status,
      health_status: row.health_status,
      health_since: row.health_since === null ? null : iso(row.health_since),
      frontend_port: portOf.get(`${row.id} frontend`),
      backend_port: portOf.get(`${row.id} backend`),
      created_at: iso(row.created_at),
      deployed_at: row.deployed_at === null ? null : iso(row.deployed_at),
    })),
    total: counted?.count,
    limit,
    offset,
  });
});

/** SQLite holds `2026-01-01 00:00:00.000 +00:00`. */
const iso = (text: string): string => new Date(text).toISOString();

app.listen(Number(process.env.PORT), '127.0.0.1');
