import { z } from 'zod';
import { instantText, timestamp } from '../../lib/http/routing/formats.ts';
import { levels } from './search/level.ts';
import { isCursor } from './search/scan.ts';
import { lineId } from './search/sources.ts';

/** A unit as the log routes name it. */
export const unitNames = ['frontend', 'backend'] as const;

/** A date and time as clients send it. */
const generationName = z.string().regex(/^[\w-]{1,64}$/);
const unit = z.enum(unitNames);

export const searchQuery = z.object({
  text: z.string().max(500).optional().meta({ description: 'Part of the line; case-insensitive' }),
  level: z.enum(levels).optional().meta({ description: '`warning` includes errors' }),
  unit: unit.optional(),
  generation: generationName.optional().meta({ description: 'Only this generation of the unit' }),
  since: instantText.optional().meta({ description: 'Lines at or after this time' }),
  until: instantText.optional().meta({ description: 'Lines at or before this time' }),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  context: z.coerce.number().int().min(0).max(20).default(2).meta({ description: 'Lines before and after each hit' }),
  cursor: z
    .string()
    .max(200)
    .refine(isCursor, 'must be the next_cursor of an earlier answer')
    .optional()
    .meta({ description: '`next_cursor` of an earlier answer, to continue its search' }),
});

const line = z.object({
  id: lineId.meta({ description: 'Names the line as long as it is kept' }),
  timestamp: timestamp.nullable().meta({ description: 'null: unknown' }),
  stream: z.enum(['stdout', 'stderr']),
  node: z.string().nullable().meta({ description: 'With `RUNTIME=swarm`: the host name of the node that wrote it' }),
  message: z.string(),
});
const hit = line.extend({
  unit,
  generation: generationName,
  level: z.enum(levels).nullable(),
  before: z.array(line),
  after: z.array(line),
});

export const searchAnswer = z
  .object({
    tenant_id: z.uuid(),
    hits: z.array(hit).meta({ description: 'The newest first' }),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Continues the search; null: everything kept has been searched' }),
    searched_to: timestamp
      .nullable()
      .meta({ description: 'Everything since this time has been searched; null: everything kept has' }),
  })
  .meta({ id: 'LogSearch' });

export const linesQuery = z.object({
  line: lineId,
  before: z.coerce.number().int().min(0).max(200).default(50),
  after: z.coerce.number().int().min(0).max(200).default(50),
});

export const linesAnswer = z
  .object({ tenant_id: z.uuid(), unit, generation: generationName, lines: z.array(line) })
  .meta({ id: 'KeptLogLines' });

export const archiveAnswer = z
  .object({
    tenant_id: z.uuid(),
    generations: z.array(
      z.object({
        unit,
        generation: generationName,
        commit: z.string().nullable(),
        started_at: timestamp,
        ended_at: timestamp.nullable().meta({ description: 'When another generation replaced it; null: it is live' }),
        state: z.enum(['running', 'stopped', 'failed', 'replaced']),
        reason: z.string().nullable().meta({ description: 'Why it failed last; null: it did not' }),
        first_line_at: timestamp.nullable(),
        last_line_at: timestamp.nullable(),
        lines: z.int(),
        bytes: z.int().meta({ description: 'Of text' }),
      }),
    ),
  })
  .meta({ id: 'LogArchive' });
