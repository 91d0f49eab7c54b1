import type { TableContent, Uncovered } from '../tenant-database.ts';
import type { Query } from './connection.ts';

/** A table with its own rows, as the server describes it. */
interface Table {
  name: string;
  /** A transaction sees a consistent snapshot of it. */
  transactional: boolean;
  /** The columns that are stored, in their order; those of a system versioning's period excluded. */
  columns: string[];
  /** System-versioned: the period's columns, and whether its history is kept by time. */
  period: { names: [string, string]; byTime: boolean } | undefined;
  hasFloats: boolean;
}

/** What a dump has to know of a database. */
export interface Survey {
  /** The longest statement that the server accepts, in bytes. */
  longestStatement: number;
  tables: Table[];
  /** A dump takes the history of system-versioned tables along. */
  history: boolean;
  uncovered: Uncovered[];
}

const isGenerated = /\b(VIRTUAL|STORED|PERSISTENT) GENERATED\b/;
/** A statement travels behind one byte that names the command. */
const commandBytes = 1;

/** The tables of the connection's database. */
export async function tablesOf(query: Query): Promise<Table[]> {
  const found = await query(
    "SELECT table_name AS name, engine, table_type AS type FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY table_name",
  );
  const columns = await query(
    'SELECT table_name AS tabled, column_name AS name, data_type AS type, extra, generation_expression AS expression FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position',
  );
  const columnsOf = Map.groupBy(columns, ({ tabled }) => String(tabled));
  return found.map(({ name, engine, type }) => {
    const own = columnsOf.get(String(name)) ?? [];
    const bound = (which: string) => own.find(({ expression }) => expression === which);
    const [start, end] = [bound('ROW START'), bound('ROW END')];
    return {
      name: String(name),
      transactional: String(engine).toLowerCase() === 'innodb',
      columns: own.filter(({ extra }) => !isGenerated.test(String(extra))).map((column) => String(column.name)),
      period:
        type === 'SYSTEM VERSIONED'
          ? {
              names: [String(start?.name ?? 'row_start'), String(end?.name ?? 'row_end')],
              byTime: start?.type !== 'bigint',
            }
          : undefined,
      hasFloats: own.some((column) => column.type === 'float'),
    };
  });
}

/** Looks at a database before it is dumped. */
export async function surveyOf(query: Query): Promise<Survey> {
  const tables = await tablesOf(query);
  const [server] = await query('SELECT @@global.max_allowed_packet AS packet');
  // MariaDB from 10.11 on: an older server could not load it.
  const loadsHistory = (await query("SHOW VARIABLES LIKE 'system_versioning_insert_history'")).length > 0;
  const versioned = tables.filter(({ period }) => period);
  // mariadb-dump refuses the whole option for one table whose history is kept by transactions.
  const history = versioned.length > 0 && loadsHistory && versioned.every(({ period }) => period?.byTime);
  const withoutHistory = history ? [] : versioned.map(({ name }) => ({ code: 'history' as const, table: name }));
  const floats = tables.filter(({ hasFloats }) => hasFloats);
  return {
    longestStatement: Number(server?.packet) - commandBytes,
    tables,
    history,
    uncovered: [...withoutHistory, ...floats.map(({ name }) => ({ code: 'float_digits' as const, table: name }))],
  };
}

/**
 * Counts a table's rows and adds up the checksums of their values, each as text, as a dump writes it. The connection's time zone
 * must be UTC.
 */
export async function contentOf(query: Query, table: Table, history: boolean): Promise<TableContent> {
  const { name, columns, period } = table;
  const [now] = await query(`SELECT ${sums(columns)} FROM ${quoted(name)}`);
  const rows = Number(now?.n);
  if (!period || !history) return { rows, checksum: String(now?.checksum) };
  const [all] = await query(`SELECT ${sums([...columns, ...period.names])} FROM ${quoted(name)} FOR SYSTEM_TIME ALL`);
  return { rows, checksum: `${now?.checksum} ${all?.n} ${all?.checksum}` };
}

function sums(columns: readonly string[]): string {
  const values = columns.map((column) => `COALESCE(CRC32(${quoted(column)}), '-')`);
  return `COUNT(*) AS n, CAST(COALESCE(SUM(CRC32(CONCAT_WS(',', ${values.join(', ')}))), 0) AS CHAR) AS checksum`;
}

export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
