import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** Tables that the active manager writes all the time: the lease, sessions in use, checks, measurements, and what reports them. */
const changing = [
  'alert_cursors',
  'alerts',
  'digest_items',
  'health_checks',
  'inbox_entries',
  'incident_entries',
  'incident_tenants',
  'incidents',
  'manager_lease',
  'measurement_blocks',
  'measurement_journal',
  'notification_deliveries',
  'sessions',
  'sign_in_places',
  'synthetic_check_runs',
];
/** Columns of tenants where it writes the results of health checks. */
const ofHealth = ['health_details', 'health_since', 'health_status'];

/**
 * What is in the store and in the data directory (with the tenants' data): each row, and each file with its size and time of
 * change. Tenants write their own logs, which the manager keeps once a minute.
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

/** A write that was in progress leaves its temporary file, which the next start removes. */
const isCutOff = (name: string): boolean => /\.tenantry-[0-9a-f]{12}\.tmp$/.test(name);

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
    .filter((entry) => entry.isFile() && !isCutOff(entry.name))
    .filter(({ parentPath }) => !/(^|\/)logs(\/|$)/.test(relative(directory, parentPath)))
    .map(({ parentPath, name }) => join(parentPath, name));
  const described = files.map(async (path) => {
    const { size, mtimeMs } = await stat(path);
    return `${relative(directory, path)} ${size} ${mtimeMs}`;
  });
  return (await Promise.all(described)).sort();
}
