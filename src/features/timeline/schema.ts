import { z } from 'zod';
import { logLevels, logTopics } from '../../adapters/events/audit-log-entry.ts';
import { instantText, timestamp, toTimestamp } from '../../lib/http/routing/formats.ts';
import { operationStatuses } from '../../lib/operations/operation.ts';

/** What an entry is about: the topics of the audit log, and what only incidents are about. */
export const timelineKinds = ['incident', 'engine', 'disk', ...logTopics] as const;
export type TimelineKind = (typeof timelineKinds)[number];

const linkTypes = ['deployment', 'fleet_upgrade', 'backup', 'import', 'incident'] as const;

const entry = z
  .object({
    id: z.string().meta({ description: 'Unique among the entries; the cursor after this entry' }),
    at: timestamp.meta({ description: 'When it happened; when a deployment or another operation was requested' }),
    kind: z.enum(timelineKinds),
    severity: z.enum(logLevels),
    outcome: z.enum(operationStatuses).nullable().meta({ description: 'Of a deployment or another operation' }),
    title: z.string(),
    detail: z.string().nullable(),
    tenant: z
      .object({ id: z.string(), name: z.string(), deleted: z.boolean() })
      .nullable()
      .meta({ description: 'The name of a deleted tenant may be its slug or its ID' }),
    user: z.string().nullable().meta({ description: 'Who did or requested it' }),
    link: z
      .object({ type: z.enum(linkTypes), id: z.string() })
      .nullable()
      .meta({ description: 'What it is about' }),
  })
  .meta({ id: 'TimelineEntry' });
export type ShownEntry = z.input<typeof entry>;
export type Link = NonNullable<ShownEntry['link']>;

export const timelineAnswer = z
  .object({
    entries: z.array(entry).meta({ description: 'Newest first' }),
    next: z.string().nullable().meta({ description: 'The cursor of the next page; null: there are no older entries' }),
    kinds: z.array(z.enum(timelineKinds)).meta({ description: 'The kinds that the caller may see here' }),
  })
  .meta({ id: 'Timeline' });

/** The sources of entries, in the order of those with the same time. */
export const sourceNames = ['incident', 'operation', 'log'] as const;

/** Where a page ends: a time, a source, and an id in it. */
export interface Cursor {
  at: Date;
  source: (typeof sourceNames)[number];
  id: string;
}
export const cursorText = ({ at, source, id }: Cursor): string => `${toTimestamp(at)}/${source}/${id}`;

const cursor = z
  .string()
  .regex(/^[\d-]{10}T[\d:.]{12}Z\/(?:(?:incident|log)\/\d{1,15}|operation\/[\w-]{1,64})$/, 'Invalid cursor')
  .transform((text): Cursor => {
    const [at = '', source, id = ''] = text.split('/');
    return { at: new Date(at), source: source as Cursor['source'], id };
  })
  .refine(({ at }) => !Number.isNaN(at.getTime()), 'Invalid cursor');

/** A date and time as clients send it. */
const moment = instantText.transform((text) => new Date(text));

const kindList = z
  .string()
  .max(500)
  .transform((text) => text.split(',').map((kind) => kind.trim()))
  .pipe(z.array(z.enum(timelineKinds)));

export const timelineQuery = z.object({
  kinds: kindList.optional().meta({ description: `Separated by commas; default: all. ${timelineKinds.join(', ')}` }),
  from: moment.optional().meta({ description: 'Entries at or after this time' }),
  to: moment.optional().meta({ description: 'Entries at or before this time' }),
  before: cursor.optional().meta({ description: 'The cursor of the next page, from `next`' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const fleetTimelineQuery = timelineQuery.extend({
  tenant_id: z.string().max(64).optional().meta({ description: 'Entries of this tenant, which may be deleted' }),
});
export type TimelineQuery = z.output<typeof fleetTimelineQuery>;
