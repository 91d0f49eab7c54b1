import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** Tables that the active manager writes all the time: the lease, health checks, and sessions in use. */
const changing = ['manager_lease', 'health_checks', 'sessions'];
/** Columns of tenants where it writes the results of health checks. */
const ofHealth = ['health_details', 'health_since', 'health_status'];

/**
 * What is in the store and in the data directory (with the tenants' data): each row, and each file with its size and time of
 * change. Tenants write their own logs.
 */
export async function contentOf(databaseUrl: string, directory: string): Promise<unknown> {
  const connection = await createConnection(databaseUrl);
  try {
    const [tables] = await connection.query<RowDataPacket[]>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
    );
    const rows: Record<string, unknown> = {};
    for (const { name } of tables) {
      if (changing.includes(name)) continue;
      const [content] = await connection.query<RowDataPacket[]>('SELECT * FROM ??', [name]);
      rows[name] = content.filter(({ category }) => category !== 'health_check').map(withoutHealth);
    }
    return { rows, files: await filesIn(join(directory, 'data')) };
  } finally {
    await connection.end();
  }
}

const withoutHealth = (row: RowDataPacket) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !ofHealth.includes(column)));

/** How many operations of this store wait or run. */
export async function runningOperations(databaseUrl: string): Promise<number> {
  const connection = await createConnection(databaseUrl);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT status FROM deployments WHERE status IN ('queued', 'running')
        UNION ALL SELECT id FROM import_operations WHERE unfinished`,
    );
    return rows.length;
  } finally {
    await connection.end();
  }
}

async function filesIn(directory: string): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/logs'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const described = files.map(async (path) => {
    const { size, mtimeMs } = await stat(path);
    return `${relative(directory, path)} ${size} ${mtimeMs}`;
  });
  return (await Promise.all(described)).sort();
}
