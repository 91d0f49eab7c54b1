import type { Store } from './store.ts';

/** Rows of a period, newest first. Rows of the same millisecond are in the order of their ids. */
export interface Range {
  /** Both inclusive. */
  from?: Date | undefined;
  until: Date;
  /** Of the rows at `until`, those with a smaller id; undefined: all. */
  belowId?: string | number | undefined;
  limit: number;
}

/** The newest rows of some groups, such as kinds, of a subject or of all. */
export interface NewestOf<Group extends string = string> extends Range {
  groups: readonly Group[];
  subject?: string | undefined;
}

/** A condition on a column with a time and one with an id, for values of `rangeValues`. */
export const rangeCondition = (time: string, id: string, { from, belowId }: Range): string =>
  `${time} <= :until${from ? ` AND ${time} >= :from` : ''}${
    belowId === undefined ? '' : ` AND (${time} < :until OR ${id} < :belowId)`
  }`;

export const rangeValues = ({ from, until, belowId, limit }: Range): Record<string, unknown> => ({
  from,
  until,
  belowId,
  limit,
});

/**
 * Reads the newest rows of some groups, unparsed. Each group is read in the order of its index, so it reads at most `limit`
 * rows of each group; an index of (group, time) and one of (subject, group, time), in any order of the first two, must exist.
 */
export async function newestRows(
  store: Pick<Store, 'select'>,
  table: { table: string; selected: string; id: string; time: string; group: string; subject: string },
  { groups, subject, ...range }: NewestOf,
): Promise<Record<string, unknown>[]> {
  const { id, time } = table;
  const order = (prefix: string): string => `ORDER BY ${prefix}${time} DESC, ${prefix}${id} DESC LIMIT :limit`;
  const ofSubject = subject === undefined ? '' : ` AND ${table.subject} = :subject`;
  const parts = groups.map(
    (_, at) => `SELECT * FROM (
      SELECT ${id}, ${time} FROM ${table.table}
      WHERE ${table.group} = :group${at}${ofSubject} AND ${rangeCondition(time, id, range)} ${order('')}
    ) AS part${at}`,
  );
  if (parts.length === 0) return [];
  const names = Object.fromEntries(groups.map((group, at) => [`group${at}`, group]));
  return store.select(
    `SELECT ${table.selected} FROM ${table.table} WHERE ${id} IN (
      SELECT ${id} FROM (SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts ${order('')}) AS newest
    ) ORDER BY ${time} DESC, ${id} DESC`,
    { ...names, subject, ...rangeValues(range) },
  );
}
