import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { alternate, type Findings, median, run, type Stage } from '../harness/harness.ts';
import { adminPassword, residentMb, startManager } from '../harness/manager.ts';
import { startMariaDb } from '../harness/mariadb.ts';
import type { ChildTask } from './child.ts';
import { type ListLoader, listLoader, watched } from './list-loader.ts';
import { writeCsvList } from './voter-list.ts';

const csvRows = Number(process.env.BENCH_IMPORT_ROWS ?? 1_000_000);
const workbookRows = Number(process.env.BENCH_IMPORT_WORKBOOK_ROWS ?? 100_000);
const rounds = 3;
/** The share of the bare parser's speed that must remain when every row is also validated. */
const atLeast = 0.4;
const mostMemoryMb = 250;
const child = join(import.meta.dirname, 'child.ts');

/**
 * Upload, validation and import of a list of a million rows, each against only the libraries or the database, and the manager's
 * memory.
 */
export async function benchImport(stage: Stage): Promise<Findings | { skipped: string }> {
  const server = await startMariaDb(stage);
  if (!server) return { skipped: 'no MariaDB server and client on this machine' };
  const repository = await makeContactsRepository(join(stage.directory, 'contacts'));
  const csv = join(stage.directory, 'voters.csv');
  const workbook = join(stage.directory, 'voters.xlsx');
  await writeCsvList(csv, csvRows);
  await inChild({ what: 'make workbook', path: workbook, rows: workbookRows });

  const data = join(stage.directory, 'data');
  const environment = { TENANT_DATABASE_URL: server.adminUrl };
  // The first start checks the administrator's password with dictionaries that stay in memory.
  await (await startManager(stage, data, environment)).stop();
  const manager = await startManager(stage, data, environment);
  const { client, pid } = manager;
  await client.login('admin', adminPassword);
  await client.call('PUT', '/api/settings/import_max_upload_mb', { value: 1_000 });
  const { id } = await client.call<{ id: string }>('POST', '/api/tenants', {
    name: 'Bench',
    slug: 'bench',
    domain: 'bench.example.org',
    api_domain: 'api.bench.example.org',
    git_repo: repository.path,
  });
  stage.defer(() => client.call('DELETE', `/api/tenants/${id}?remove_files=true`).catch(() => undefined));
  const loader = await listLoader(manager, id);
  const idle = await residentMb(pid);

  // Before the tenant runs: otherwise the manager also asks the tenant for duplicates.
  const ofCsv = await readings(stage, loader, pid, { name: 'CSV', path: csv, rows: csvRows, bare: 'csv-parse' });
  const ofWorkbook = await readings(stage, loader, pid, {
    name: 'XLSX',
    path: workbook,
    rows: workbookRows,
    bare: 'unzip and saxes',
  });

  const { deployment_id } = await client.call<{ deployment_id: string }>('POST', `/api/tenants/${id}/deploy`, {});
  for await (const message of client.messages(deployment_id)) if (message.type === 'complete') break;
  stage.say('the import starts');
  const imported = await watched(pid, () => loader.execute(ofCsv.list));
  const limit = await loadTheSame(server.adminUrl, join(stage.directory, 'persons.tsv'));
  const { success, duplicates, failed } = imported.result;
  const speed = csvRows / imported.seconds;
  const peak = Math.max(ofCsv.peakMb, ofWorkbook.peakMb, imported.peakMb);

  return {
    verdicts: [
      { what: 'CSV, parse and validate against csv-parse alone', ratios: ofCsv.ratios, limit: { atLeast } },
      { what: 'XLSX, parse and validate against unzip and saxes alone', ratios: ofWorkbook.ratios },
      { what: 'import against LOAD DATA LOCAL INFILE of the same rows', ratios: [speed / limit.rowsPerSecond] },
      {
        what: `most memory of the manager, of ${mostMemoryMb} MiB`,
        ratios: [peak / mostMemoryMb],
        limit: { atMost: 1 },
      },
    ],
    lines: [
      ...ofCsv.lines,
      ...ofWorkbook.lines,
      `import: ${perSecond(csvRows, imported.seconds)}, ${imported.seconds.toFixed(0)} s for ${csvRows} rows: ${success} imported, ${duplicates} duplicates, ${failed} rejected; LOAD DATA ${Math.round(limit.rowsPerSecond)} rows/s (${limit.rows} rows)`,
      `manager ${idle.toFixed(0)} MiB before; at most ${ofCsv.peakMb.toFixed(0)} with the CSV, ${ofWorkbook.peakMb.toFixed(0)} with the workbook, ${imported.peakMb.toFixed(0)} while importing`,
    ],
  };
}

interface Reading {
  name: string;
  path: string;
  rows: number;
  bare: Exclude<ChildTask['what'], 'make workbook'>;
}

async function readings(stage: Stage, loader: ListLoader, pid: number, { name, path, rows, bare }: Reading) {
  const uploaded = await watched(pid, () => loader.upload(path));
  if (uploaded.result.rows !== rows) throw new Error(`${uploaded.result.rows} rows were counted, of ${rows}`);
  let peakMb = uploaded.peakMb;
  const pairs = await alternate(
    { rounds, warmUps: 0 },
    {
      async ours() {
        const { result, seconds, peakMb: most } = await watched(pid, () => loader.validate(uploaded.result));
        if (result.total !== rows) throw new Error(`${result.total} rows were validated, of ${rows}`);
        peakMb = Math.max(peakMb, most);
        return seconds;
      },
      peer: () => inChild({ what: bare, path }),
    },
    (round, { ours, peer }) => stage.say(`${name} ${round}: ${ours.toFixed(1)} s, ${bare} ${peer.toFixed(1)} s`),
  );
  const bareSeconds = median(pairs.map(({ peer }) => peer));
  const megabytes = ((await stat(path)).size / 1e6).toFixed(0);
  return {
    list: uploaded.result,
    peakMb,
    ratios: pairs.map(({ ours, peer }) => peer / ours),
    lines: [
      `${name}, ${rows} rows of 20 columns, ${megabytes} MB: upload with the first reading ${perSecond(rows, uploaded.seconds)}, parse and validate ${perSecond(rows, median(pairs.map(({ ours }) => ours)))}, ${bare} alone ${perSecond(rows, bareSeconds)}`,
    ],
  };
}

/** Loads the imported people again into an identical table, to measure the database's own speed. */
async function loadTheSame(adminUrl: string, file: string): Promise<{ rows: number; rowsPerSecond: number }> {
  const connection = await createConnection(adminUrl);
  const [found] = await connection.query("SHOW DATABASES LIKE 'tenantry\\_bench\\_%'");
  const database = Object.values((found as Record<string, string>[])[0] ?? {})[0] ?? '';
  await connection.query(`USE \`${database}\``);
  await connection.query(`SELECT * FROM persons INTO OUTFILE '${file}' CHARACTER SET utf8mb4`);
  await connection.query('CREATE TABLE persons_again LIKE persons');
  const began = performance.now();
  const { hostname, port } = new URL(adminUrl);
  await run(
    '/usr/bin/mariadb',
    [
      '--no-defaults',
      '--local-infile=1',
      `--host=${hostname}`,
      `--port=${port}`,
      '--user=admin',
      '--default-character-set=utf8mb4',
      database,
      `--execute=LOAD DATA LOCAL INFILE '${file}' INTO TABLE persons_again CHARACTER SET utf8mb4`,
    ],
    { MYSQL_PWD: 'admin' },
  );
  const seconds = (performance.now() - began) / 1000;
  const [[counted]] = (await connection.query('SELECT COUNT(*) AS rows_there FROM persons_again')) as unknown as [
    [{ rows_there: number }],
  ];
  await connection.end();
  return { rows: counted.rows_there, rowsPerSecond: counted.rows_there / seconds };
}

/** Seconds of a task in a child process, without the process's start. */
async function inChild(task: ChildTask): Promise<number> {
  const process = fork(child, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  process.send(task);
  const end = once(process, 'exit').then(([code]) => {
    throw new Error(`${task.what}: exited with code ${code}`);
  });
  const [seconds] = await Promise.race([once(process, 'message'), end]);
  return seconds as number;
}

const perSecond = (rows: number, seconds: number): string => `${Math.round(rows / seconds)} rows/s`;
