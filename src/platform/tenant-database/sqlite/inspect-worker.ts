import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** Looks through a database file that nobody writes: reading it all would hold up everything else in the main thread. */
const { path, integrity } = workerData as { path: string; integrity: boolean };

const database = new BetterSqlite(path, { readonly: !integrity, fileMustExist: true });
try {
  // A copy with its journal beside it is brought in order by being opened; then it is one file.
  if (integrity) database.pragma('journal_mode = DELETE');
  const problems = integrity ? (database.pragma('integrity_check(3)') as { integrity_check: string }[]) : [];
  const tables = database
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all();
  const counts: Record<string, number> = {};
  for (const { name, sql } of tables) {
    // What a module of the application's own keeps can be looked at by that alone.
    if (/^CREATE VIRTUAL /i.test(sql)) continue;
    const row = database.prepare(`SELECT count(*) AS n FROM "${name.replaceAll('"', '""')}"`).get() as { n: number };
    counts[name] = row.n;
  }
  parentPort?.postMessage({
    problems: problems.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    counts,
    schema: Object.fromEntries(tables.map(({ name, sql }) => [name, sql])),
  });
} finally {
  database.close();
}
