import { z } from 'zod';
import { timestamp } from '../../../lib/http/routing/formats.ts';

const count = z.int().min(0);
const progressCounts = z.object({
  total: count,
  processed: count,
  success: count,
  failed: count,
  duplicates: count,
  updated: count,
});
/** How far an import has got. */
export const progressBody = progressCounts
  .extend({
    retry: z
      .object({ attempt: z.int().min(2), next_attempt_at: timestamp, reason: z.string() })
      .optional()
      .meta({
        description:
          'Only while the manager waits to send a part again that the tenant did not take: it retries for five minutes. Cancelling ends the wait at once.',
      }),
  })
  .meta({ id: 'ImportProgress' });

/** How an import ended. */
export const importResult = progressCounts
  .extend({
    batch_id: z.string(),
    imported: count,
    duplicates_in_file: count.optional().meta({ description: 'Those of an earlier row; of a completed import alone' }),
    error: z.string().optional(),
    started_at: timestamp,
    finished_at: timestamp,
    undone_at: timestamp.optional(),
    removed: count.optional(),
  })
  .meta({ id: 'ImportResult' });
