import type { Range } from '../../adapters/store/newest.ts';
import { type Cursor, cursorText, type ShownEntry, sourceNames, type TimelineKind } from './schema.ts';

/** An entry of a source. */
export interface SourceEntry extends Omit<ShownEntry, 'id' | 'at' | 'tenant'> {
  /** Unique in its source; entries of the same millisecond are in the descending order of their ids. */
  id: string;
  at: Date;
  /** With the name that a deleted tenant had, if the source keeps it. */
  tenant: { id: string; name?: string | null } | null;
}

/** What a source is asked for. */
export interface SourceQuery extends Range {
  kinds: ReadonlySet<TimelineKind>;
  tenantId?: string | undefined;
  /** Includes what is only in the audit log, which viewers may not read. */
  includesAudit: boolean;
}

/** Entries of one feature, newest first. `until` and `belowId` name the last entry that is known. */
export type TimelineSource = (query: SourceQuery) => Promise<SourceEntry[]>;

export interface PageQuery extends Omit<SourceQuery, 'until' | 'belowId'> {
  /** Inclusive, like `from`. */
  to?: Date | undefined;
  before?: Cursor | undefined;
}

export interface TimelinePage {
  entries: (SourceEntry & { source: Cursor['source'] })[];
  /** The cursor of the next page; null: there are no older entries. */
  next: string | null;
}

/**
 * Merges a page of several sources, newest first. Entries with the same time are in the order of the sources and, within one, of
 * its ids: with a cursor of all three, pages neither lose nor repeat entries.
 */
export async function readPage(
  sources: Readonly<Record<Cursor['source'], TimelineSource>>,
  { to = latest, before, limit, ...query }: PageQuery,
): Promise<TimelinePage> {
  const pages = await Promise.all(
    sourceNames.map(async (source) => {
      const range = rangeAfter(source, to, before);
      const found = await sources[source]({ ...query, ...range, limit: limit + 1 });
      return found.map((entry) => ({ ...entry, source }));
    }),
  );
  // Sorting is stable: entries with the same time stay in the order of the sources.
  const merged = pages.flat().sort((one, other) => other.at.getTime() - one.at.getTime());
  const entries = merged.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: last && merged.length > limit ? cursorText(last) : null };
}

/** Later than any entry; the largest date that MySQL can represent. */
const latest = new Date('9999-12-31T23:59:59.999Z');

/** The part of a source after a cursor. */
function rangeAfter(source: Cursor['source'], to: Date, before: Cursor | undefined): Pick<Range, 'until' | 'belowId'> {
  if (!before || to < before.at) return { until: to };
  if (source === before.source) return { until: before.at, belowId: before.id };
  const isLater = sourceNames.indexOf(source) > sourceNames.indexOf(before.source);
  return { until: isLater ? before.at : new Date(before.at.getTime() - 1) };
}
