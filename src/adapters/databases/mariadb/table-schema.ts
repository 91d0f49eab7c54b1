import type { TableSchema } from '../tenant-database.ts';

const column = /^`((?:[^`]|``)+)` (.*)$/s;
const named = /^(?:UNIQUE |FULLTEXT |SPATIAL )?(?:KEY|CONSTRAINT) `((?:[^`]|``)+)` /s;

/**
 * Reads the server's own `SHOW CREATE TABLE`: a column, key or constraint a line, as it escapes newlines in texts. What stands after the
 * closing bracket (engine, character set, the next number) is left out.
 */
export function tableSchema(statement: string): TableSchema {
  const schema: TableSchema = { columns: {}, indexes: {} };
  for (const raw of statement.split('\n').slice(1)) {
    if (!raw.startsWith('  ')) continue;
    const line = raw.trim().replace(/,$/, '');
    const [, columnName, definition = ''] = column.exec(line) ?? [];
    if (columnName !== undefined) schema.columns[plain(columnName)] = definition;
    else schema.indexes[plain(named.exec(line)?.[1] ?? line.split(' (')[0] ?? line)] = line;
  }
  return schema;
}

const plain = (quoted: string): string => quoted.replaceAll('``', '`');
