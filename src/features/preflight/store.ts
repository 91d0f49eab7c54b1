import { Op } from 'sequelize';
import type { Store } from '../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  json,
  key,
  newestFirst,
  orNull,
  type RowOf,
  tableIn,
} from '../../adapters/store/table.ts';
import {
  isUnfinished,
  type OperationJournal,
  type OperationRecord,
  recordFromJson,
} from '../../lib/operations/operation.ts';

const columns = {
  id: key(id),
  unfinished: flag,
  record: json<OperationRecord>(),
  cancelRequestedAt: orNull(instant),
  createdAt: instant,
};
export const preflightsTable = defineTable('preflights', columns);

/** The checks of the host, as the journal of their engine. Only the last one is of use. */
export function createPreflightStore(store: Store) {
  const rows = tableIn(store, preflightsTable);
  const toRecord = ({ record, cancelRequestedAt }: RowOf<typeof columns>): OperationRecord => ({
    ...recordFromJson(record),
    cancelRequestedAt,
  });
  return {
    async insert(record) {
      const { id, createdAt } = record;
      await rows.insert({ id, record, createdAt, unfinished: isUnfinished(record), cancelRequestedAt: null });
    },
    async save(record) {
      await rows.update({ record, unfinished: isUnfinished(record) }, { id: record.id });
    },
    async requestCancel(id, at) {
      await rows.update({ cancelRequestedAt: at }, { id });
    },
    async unfinished() {
      return (await rows.all({ where: { unfinished: true }, order: [['createdAt', 'ASC']] })).map(toRecord);
    },
    async find(id: string): Promise<OperationRecord | undefined> {
      const row = await rows.find({ id });
      return row && toRecord(row);
    },
    async latest(): Promise<OperationRecord | undefined> {
      const [row] = await rows.all({ order: newestFirst, limit: 1 });
      return row && toRecord(row);
    },
    /** Which of these ids have a record. */
    recorded: async (ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set((await rows.all({ where: { id: [...ids] }, only: ['id'] })).map((row) => row.id)),
    async removeOthersThan(id: string): Promise<void> {
      await rows.remove({ id: { [Op.ne]: id }, unfinished: false });
    },
  } satisfies OperationJournal & Record<string, unknown>;
}
export type PreflightStore = ReturnType<typeof createPreflightStore>;
