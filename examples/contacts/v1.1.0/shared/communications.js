import { z } from 'zod';
import { moment } from './moment.js';

export const communicationInput = z.strictObject({
  channel: z.enum(['email', 'phone', 'text', 'letter', 'visit']),
  summary: z.string().trim().max(10_000).nullable().optional(),
  happened_at: moment,
});

const COLUMNS = ['id', 'person_id', 'channel', 'summary', 'happened_at', 'created_at'];

/** @param {import('./database/database.js').Database} database */
export function communicationStore(database) {
  return {
    /** Of one person, the latest first. */
    ofPerson: (personId) =>
      database.query(
        `SELECT ${COLUMNS.join(', ')} FROM communications WHERE person_id = ? ORDER BY happened_at DESC, id`,
        [personId],
      ),

    async create(personId, input) {
      const communication = {
        id: crypto.randomUUID(),
        person_id: personId,
        channel: input.channel,
        summary: input.summary ?? null,
        happened_at: input.happened_at,
        created_at: new Date().toISOString(),
      };
      await database.transaction(async (connection) => {
        await connection.run(
          `INSERT INTO communications (${COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`,
          COLUMNS.map((column) => communication[column]),
        );
        await connection.run(
          `UPDATE persons SET last_contacted_at = ?
           WHERE id = ? AND (last_contacted_at IS NULL OR last_contacted_at < ?)`,
          [input.happened_at, personId, input.happened_at],
        );
      });
      return communication;
    },
  };
}
