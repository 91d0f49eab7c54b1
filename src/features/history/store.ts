import { Op } from 'sequelize';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  bigInteger,
  bytes,
  defineTable,
  id,
  integer,
  json,
  key,
  type RowOf,
  tableIn,
} from '../../adapters/store/table.ts';

const blockColumns = { subject: key(id), step: key(integer), start: key(bigInteger), data: bytes };
export const measurementBlocksTable = defineTable('measurement_blocks', blockColumns, { indexes: [['step', 'start']] });
/** The periods of one length of a subject that a block holds. */
export type BlockRow = RowOf<typeof blockColumns>;

const journalColumns = {
  id: key(id),
  /** The hour of its measurements: its start in seconds since 1970. */
  at: bigInteger,
  /** By subject: time in seconds and the values by metric; null: not measured. */
  samples: json<Record<string, (number | null)[][]>>(),
};
export const measurementJournalTable = defineTable('measurement_journal', journalColumns, { indexes: [['at']] });
export type JournalRow = RowOf<typeof journalColumns>;

/** Blocks written in one statement: each has a few kilobytes. */
const batchSize = 100;

export function createHistoryStore(store: Store) {
  const blocks = tableIn(store, measurementBlocksTable);
  const journal = tableIn(store, measurementJournalTable);
  return {
    transaction: store.transaction,
    /** Blocks of a step that start in these, oldest first. @param subjects undefined: of all */
    blocks: (
      { subjects, step, from, until }: { subjects?: readonly string[]; step: number; from: number; until: number },
      transaction?: Transaction,
    ): Promise<BlockRow[]> =>
      blocks.all({
        where: { ...(subjects ? { subject: [...subjects] } : {}), step, start: { [Op.gte]: from, [Op.lt]: until } },
        order: [['start', 'ASC']],
        transaction,
      }),
    /** Adds blocks, or replaces those with their keys. */
    async save(rows: readonly BlockRow[], transaction: Transaction): Promise<void> {
      for (let first = 0; first < rows.length; first += batchSize)
        await blocks.model.bulkCreate(rows.slice(first, first + batchSize), {
          updateOnDuplicate: ['data'],
          transaction,
        });
    },
    removeBlocks: (step: number, before: number) => blocks.remove({ step, start: { [Op.lt]: before } }),
    removeSubject: (subject: string) => blocks.remove({ subject }),
    /** Removes what is left of deleted tenants. */
    async removeOrphans(): Promise<void> {
      await store.sequelize.query(
        "DELETE FROM measurement_blocks WHERE subject NOT LIKE '%:%' AND subject NOT IN (SELECT id FROM tenants)",
      );
    },
    append: (row: JournalRow) => journal.insert(row),
    journal: () => journal.all({ order: [['at', 'ASC']] }),
    removeJournal: (before: number) => journal.remove({ at: { [Op.lt]: before } }),
  };
}

export type HistoryStore = ReturnType<typeof createHistoryStore>;
