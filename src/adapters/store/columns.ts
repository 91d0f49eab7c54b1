import { DataTypes, type ModelAttributeColumnOptions } from 'sequelize';

/** An id column: UUIDs and import job ids. */
export const idType = DataTypes.STRING(64);
/** A timestamp with milliseconds, in UTC. */
export const instant = DataTypes.DATE(3);

/** A timestamp in a raw query's result: SQLite has a text, `2026-01-01 00:00:00.000 +00:00`. */
export type RawInstant = Date | string;
export const fromRawInstant = (value: RawInstant): Date => new Date(value);
export const fromRawInstantOrNull = (value: RawInstant | null): Date | null =>
  value === null ? null : new Date(value);

/**
 * A JSON value in a text column, serialized by us: MariaDB's JSON type is text that its drivers return unparsed, and SQLite has
 * none.
 */
export function jsonColumn(field: string): ModelAttributeColumnOptions {
  return {
    type: DataTypes.TEXT,
    get() {
      const text: unknown = this.getDataValue(field);
      return typeof text === 'string' ? JSON.parse(text) : null;
    },
    set(value: unknown) {
      this.setDataValue(field, value === null || value === undefined ? null : JSON.stringify(value));
    },
  };
}
