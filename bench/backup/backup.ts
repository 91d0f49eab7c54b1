import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { createSharedMariadb } from '../../src/adapters/databases/mariadb/shared.ts';
import { readPart } from '../../src/features/backups/archive/read-archive.ts';
import { alternate, type Findings, figures, ratiosOf, run, type Stage } from '../harness/harness.ts';
import { adminPassword, residentMb, startManager } from '../harness/manager.ts';
import { startMariaDb } from '../harness/mariadb.ts';

const megabytes = Number(process.env.BENCH_BACKUP_MB ?? 1_000);
const rounds = 3;
const atMost = 1.15;
const mostMemoryMb = 60;
const byHand = join(import.meta.dirname, 'by-hand.sh');

/** Backing up and restoring a database on a shared server, against `mariadb-dump | gzip` and `gunzip | mariadb`. */
export async function benchBackup(stage: Stage): Promise<Findings | { skipped: string }> {
  const server = await startMariaDb(stage);
  if (!server) return { skipped: 'no MariaDB server and client on this machine' };
  const repository = await makeContactsRepository(join(stage.directory, 'contacts'));
  const manager = await startManager(stage, join(stage.directory, 'data'), { TENANT_DATABASE_URL: server.adminUrl });
  const { client } = manager;
  await client.login('admin', adminPassword);
  const { id } = await client.call<{ id: string }>('POST', '/api/tenants', {
    name: 'Bench',
    slug: 'bench',
    domain: 'bench.example.org',
    api_domain: 'api.bench.example.org',
    git_repo: repository.path,
  });
  stage.defer(() => client.call('DELETE', `/api/tenants/${id}?remove_files=true`).catch(() => undefined));
  const { deployment_id } = await client.call<{ deployment_id: string }>('POST', `/api/tenants/${id}/deploy`, {});
  for await (const message of client.messages(deployment_id)) if (message.type === 'complete') break;
  const { status } = await client.call<{ status: string }>('GET', `/api/deployments/${deployment_id}`);
  if (status !== 'success') throw new Error(`The deployment ended as ${status}. Is the machine overloaded?`);
  const database = await fill(server.adminUrl, stage);

  const hand = async (what: 'dump' | 'load', name: string): Promise<number> => {
    const began = performance.now();
    const file = join(stage.directory, 'by-hand.sql.gz');
    await run(byHand, [what, String(server.port), name, file], { MYSQL_PWD: 'admin' });
    return (performance.now() - began) / 1000;
  };

  const idle = await residentMb(manager.pid);
  let peak = 0;
  let last = '';
  const backUp = async (): Promise<number> => {
    let done = false;
    const watching = (async () => {
      for (; !done; await sleep(50)) peak = Math.max(peak, await residentMb(manager.pid));
    })();
    const began = performance.now();
    const backup = await client.call<{ id: string; backup_path: string }>('POST', `/api/tenants/${id}/backups`);
    const seconds = (performance.now() - began) / 1000;
    done = true;
    await watching;
    last = backup.backup_path;
    return seconds;
  };
  const say =
    (what: string) =>
    (round: number, { ours, peer }: { ours: number; peer: number }) =>
      stage.say(`${what} ${round}: ${ours.toFixed(1)} s, by hand ${peer.toFixed(1)} s`);
  const backups = await alternate({ rounds }, { ours: backUp, peer: () => hand('dump', database) }, say('backup'));

  // Only the part of a restore that grows with the data: a full restore also makes a backup first and restarts the services.
  const adapter = createSharedMariadb({ serverUrl: server.adminUrl });
  const tenant = { id: crypto.randomUUID(), slug: 'loaded', directory: stage.directory };
  const owner = { tenant, password: 'loaded-loaded', dataDirectory: stage.directory, slot: 0 as const };
  const { signal } = new AbortController();
  await adapter.ensure(owner, { log: () => undefined, signal });
  const load = async (): Promise<number> => {
    const began = performance.now();
    const content = readPart(last, 'database.sql.gz', signal);
    await adapter.load(owner, content, { signal, directory: stage.directory });
    return (performance.now() - began) / 1000;
  };
  // Both sides first replace the previous database by an empty one.
  const loadByHand = async (): Promise<number> => {
    const began = performance.now();
    const connection = await createConnection(server.adminUrl);
    await connection.query('DROP DATABASE IF EXISTS by_hand');
    await connection.query('CREATE DATABASE by_hand');
    await connection.end();
    await hand('load', 'by_hand');
    return (performance.now() - began) / 1000;
  };
  const restores = await alternate({ rounds }, { ours: load, peer: loadByHand }, say('restore'));

  return {
    verdicts: [
      { what: 'time of a backup, verified', ratios: ratiosOf(backups), limit: { atMost } },
      { what: 'time of loading a backup', ratios: ratiosOf(restores), limit: { atMost } },
      {
        what: `memory while backing up above idle, of ${mostMemoryMb} MiB`,
        ratios: [(peak - idle) / mostMemoryMb],
        limit: { atMost: 1 },
      },
    ],
    lines: [
      `${megabytes} MB of rows on a shared MariaDB; Tenantry’s backup also packs, syncs and verifies`,
      ...figures(backups, 'mariadb-dump | gzip', 's'),
      ...figures(restores, 'gunzip | mariadb', 's'),
      `manager ${idle.toFixed(0)} MiB at rest, ${peak.toFixed(0)} MiB at most while backing up`,
    ],
  };
}

/** Fills the tenant's database with typical rows. Returns the database's name. */
async function fill(adminUrl: string, stage: Stage): Promise<string> {
  const connection = await createConnection(adminUrl);
  const [found] = await connection.query("SHOW DATABASES LIKE 'tenantry\\_bench\\_%'");
  const [row] = found as Record<string, string>[];
  const name = Object.values(row ?? {})[0] ?? '';
  await connection.query(`USE \`${name}\``);
  await connection.query('CREATE TABLE bulk (id INT PRIMARY KEY, name VARCHAR(100), email VARCHAR(100), notes TEXT)');
  const perMegabyte = 3_300;
  const text =
    'CONCAT_WS(" ", MD5(seq), "lives in the valley, likes long walks and letters", SHA2(seq, 256), REPEAT("x", seq % 60))';
  for (let part = 0; part < megabytes; part += 20) {
    const from = part * perMegabyte + 1;
    const to = Math.min(part + 20, megabytes) * perMegabyte;
    await connection.query(
      `INSERT INTO bulk SELECT seq, CONCAT("Person ", seq), CONCAT(seq, "@example.org"), ${text} FROM seq_${from}_to_${to}`,
    );
  }
  await connection.query('ANALYZE TABLE bulk');
  const [[size]] = (await connection.query(
    'SELECT SUM(data_length) AS bytes FROM information_schema.tables WHERE table_schema = ?',
    [name],
  )) as unknown as [[{ bytes: number }]];
  stage.say(`${Math.round(Number(size.bytes) / 1e6)} MB of data`);
  await connection.end();
  return name;
}
