import {
  col,
  type DataType,
  DataTypes,
  fn,
  type Model,
  type ModelAttributeColumnOptions,
  type ModelStatic,
  Op,
  type Order,
  type Sequelize,
  type Transaction,
  type WhereOptions,
  where,
} from 'sequelize';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';

/** A column: Sequelize's options, how a value that is not null is read, and what the schema says of it. */
export interface Column<Value> extends ModelAttributeColumnOptions {
  parse(raw: unknown): Value;
  /** Written as JSON. MariaDB's JSON type is text that its drivers return unparsed, and SQLite has none. */
  isJson?: boolean;
  sql: ColumnSql;
}

/** Of MySQL; `schema.ts` knows what SQLite has instead. */
interface ColumnSql {
  type: string;
  nullable?: true;
  unique?: true;
  initial?: number;
  /** The table and column of the row that owns this one, and takes it along when it is deleted. */
  owner?: readonly [table: string, field: string];
}

const column = <Value>(type: DataType, sql: string, parse = (raw: unknown) => raw as Value): Column<Value> => ({
  type,
  parse,
  sql: { type: sql },
});

export const text = <Value extends string = string>(length?: number): Column<Value> =>
  length === undefined ? column(DataTypes.TEXT, 'LONGTEXT') : column(DataTypes.STRING(length), `VARCHAR(${length})`);
/** UUIDs and import job ids. */
export const id = text(64);
export const integer = column<number>(DataTypes.INTEGER, 'INTEGER');
/** One of a few integers. */
export const oneOf = <Value extends number>(): Column<Value> => column(DataTypes.INTEGER, 'INTEGER');
/** MySQL's driver returns a large integer as a text. */
export const bigInteger = column(DataTypes.BIGINT, 'BIGINT', Number);
/** The key of rows that are counted. */
export const counter: Column<number> = { ...bigInteger, primaryKey: true, autoIncrement: true };
export const flag = column(DataTypes.BOOLEAN, 'TINYINT(1)', Boolean);
/** Up to 16 MiB. */
export const bytes = column<Buffer>(DataTypes.BLOB('medium'), 'MEDIUMBLOB');
/** A timestamp with milliseconds, in UTC. SQLite returns a text, `2026-01-01 00:00:00.000 +00:00`, which only as ISO 8601 is read for each year. */
export const instant = column(DataTypes.DATE(3), 'DATETIME(3)', (raw) =>
  raw instanceof Date ? raw : new Date(String(raw).replace(' ', 'T').replace(' +00:00', 'Z')),
);
export const json = <Value>(): Column<Value> => ({
  ...column(DataTypes.TEXT, 'LONGTEXT', (raw) => JSON.parse(raw as string) as Value),
  isJson: true,
});

const said = <Value>(value: Column<Value>, more: Partial<ColumnSql>): Column<Value> => ({
  ...value,
  sql: { ...value.sql, ...more },
});

/** `null` is the absence of a value. */
export const orNull = <Value>(value: Column<Value>): Column<Value | null> => said(value, { nullable: true });
/** No two rows have the same value. */
export const unique = <Value>(value: Column<Value>): Column<Value> => said(value, { unique: true });
/** What a row has that is inserted without this value. */
export const withDefault = <Value>(initial: number, value: Column<Value>): Column<Value> => said(value, { initial });
/** The key of a row of another table, without which this one is deleted. */
export const ownedBy = (table: string, value = id, field = 'id'): Column<string> =>
  said(value, { owner: [table, field] });
/** Part of the primary key. */
export const key = <Value>(value: Column<Value>): Column<Value> => ({ ...value, primaryKey: true });
/** A column that is not named like its property. */
export const named = <Value>(field: string, value: Column<Value>): Column<Value> => ({ ...value, field });

export type Columns = Readonly<Record<string, Column<unknown>>>;
/** The rows of a table with these columns. */
export type RowOf<Of extends Columns> = { -readonly [Name in keyof Of]: ReturnType<Of[Name]['parse']> };

/** A row of a plain query as its columns say. */
export const parseRow = <Of extends Columns>(columns: Of, raw: object): RowOf<Of> =>
  map(raw as Record<string, unknown>, (value, name) => {
    const known = columns[name];
    return value === null || !known ? value : known.parse(value);
  }) as RowOf<Of>;

/** INSTR has no wildcards, so % and _ match literally. */
export const containsText = (text: ReturnType<typeof fn> | ReturnType<typeof col>, part: string) =>
  where(fn('INSTR', text, part), { [Op.gt]: 0 });

type Within = Transaction | undefined;
type Name<Row> = keyof Row & string;

interface Selection<Row, Chosen extends Name<Row>> {
  where?: WhereOptions<Row>;
  /** The columns that are read; all by default. */
  only?: readonly Chosen[];
  order?: Order;
  limit?: number;
  transaction?: Within;
}

/** A table of the store. Its rows are plain objects: Sequelize's models would take several times as long as the query. */
export interface Table<Row extends object> {
  /** For what the functions below can't do. */
  readonly model: ModelStatic<Model>;
  /** What a plain query selects to read whole rows. */
  readonly selected: string;
  find(where: WhereOptions<Row>, transaction?: Within): Promise<Row | undefined>;
  all<Chosen extends Name<Row> = Name<Row>>(selection?: Selection<Row, Chosen>): Promise<Pick<Row, Chosen>[]>;
  /** @param order newest first by default */
  page(where: WhereOptions<Row>, paging: Paging, order?: Order): Promise<Page<Row>>;
  count(where: WhereOptions<Row>, transaction?: Within): Promise<number>;
  /** How many rows have the same values in these columns. */
  countBy<Chosen extends Name<Row>>(
    names: readonly Chosen[],
    where?: WhereOptions<Row>,
  ): Promise<(Pick<Row, Chosen> & { count: number })[]>;
  insert(row: Partial<Row>, transaction?: Within): Promise<void>;
  insertAll(rows: readonly Row[], transaction?: Within): Promise<void>;
  /** Inserts the rows whose key is new. */
  insertNew(rows: readonly Row[], transaction?: Within): Promise<void>;
  /** Inserts a row or replaces the one with its key. */
  upsert(row: Row, transaction?: Within): Promise<void>;
  /** @returns how many rows changed; MySQL and MariaDB do not count those that stay as they are */
  update(changes: Partial<Row>, where: WhereOptions<Row>, transaction?: Within): Promise<number>;
  /** @returns how many rows were removed */
  remove(where: WhereOptions<Row>, options?: { transaction?: Within; limit?: number }): Promise<number>;
}

export const newestFirst: Order = [
  ['createdAt', 'DESC'],
  ['id', 'DESC'],
];
/** Rows written in one statement. */
const batchSize = 500;

/** A table as the schema has it. */
export interface TableDefinition<Of extends Columns = Columns> {
  name: string;
  columns: Of;
  indexes: readonly (readonly string[])[];
  /** Columns whose values together are unique. */
  unique: readonly (readonly string[])[];
}

type Lists<Of> = readonly (readonly (keyof Of & string)[])[];

/** Defines a table. `app/lifecycle/manager-store.ts` lists all, so that the store has it. */
export const defineTable = <Of extends Columns>(
  name: string,
  columns: Of,
  { indexes = [], unique = [] }: { indexes?: Lists<Of>; unique?: Lists<Of> } = {},
): TableDefinition<Of> => ({ name, columns, indexes, unique });

/** A table of a store, which has it. */
export function tableIn<Of extends Columns>(
  { sequelize }: { sequelize: Sequelize },
  { name: tableName, columns }: Pick<TableDefinition<Of>, 'name' | 'columns'>,
): Table<RowOf<Of>> {
  type Row = RowOf<Of>;
  // Sequelize changes a column's options.
  const model: ModelStatic<Model> = sequelize.define(
    tableName,
    map(columns, ({ parse, isJson, sql, ...options }) => options),
    {
      tableName,
    },
  );
  const toRaw = (row: object) =>
    map(row as Record<string, unknown>, (value, name) =>
      columns[name]?.isJson && value !== null && value !== undefined ? JSON.stringify(value) : value,
    );
  const read = async (options: object): Promise<Row[]> =>
    (await model.findAll({ ...options, raw: true })).map((raw) => parseRow(columns, raw));
  const within = (transaction: Within) => ({ transaction: transaction ?? null });

  async function insertAll(rows: readonly Row[], transaction?: Within, ignoreDuplicates = false): Promise<void> {
    for (let start = 0; start < rows.length; start += batchSize)
      await model.bulkCreate(rows.slice(start, start + batchSize).map(toRaw), {
        ignoreDuplicates,
        ...within(transaction),
      });
  }

  return {
    model,
    selected: Object.values(model.getAttributes())
      .map(({ field, fieldName }: { field?: string; fieldName?: string }) => `${field} AS \`${fieldName}\``)
      .join(', '),
    async find(where, transaction) {
      const [row] = await read({ where, limit: 1, ...within(transaction) });
      return row;
    },
    all({ only, transaction, ...selection } = {}) {
      return read({ ...selection, ...(only ? { attributes: [...only] } : {}), ...within(transaction) });
    },
    async page(where, { limit, offset }, order = newestFirst) {
      const [items, total] = await Promise.all([read({ where, order, limit, offset }), model.count({ where })]);
      return { items, total };
    },
    count: (where, transaction) => model.count({ where, ...within(transaction) }),
    async countBy(names, where = {}) {
      const rows = await read({
        where,
        attributes: [...names, [fn('COUNT', col('*')), 'count']],
        group: names.map((name) => model.getAttributes()[name]?.field ?? name),
      });
      return rows as unknown as (Pick<Row, (typeof names)[number]> & { count: number })[];
    },
    async insert(row, transaction) {
      await model.create(toRaw(row), within(transaction));
    },
    insertAll: (rows, transaction) => insertAll(rows, transaction),
    insertNew: (rows, transaction) => insertAll(rows, transaction, true),
    async upsert(row, transaction) {
      await model.upsert(toRaw(row), within(transaction));
    },
    async update(changes, where, transaction) {
      return (await model.update(toRaw(changes), { where, ...within(transaction) }))[0];
    },
    remove: (where, { transaction, ...options } = {}) => model.destroy({ where, ...options, ...within(transaction) }),
  };
}

const map = <From, To>(object: Readonly<Record<string, From>>, change: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
