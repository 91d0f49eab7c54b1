import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { ImportsDeps } from '../list-imports.ts';
import { type FieldMapping, plainHeader, targetsFilledBy } from '../mapping/field-mapping.ts';
import type { ValueKind } from '../mapping/rules/profile.ts';
import type { LearnedMapping } from '../store.ts';

/** A list's columns: their headers and some rows. */
interface Columns {
  headers: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Share of a column's values that must look alike. */
const minShare = 0.8;
/** The most specific first. */
const kinds: readonly ValueKind[] = [
  'email',
  'written_phone',
  'date',
  'yes_no',
  'phone',
  'zip',
  'number',
  'full_name',
  'words',
];
const maxHeaderLength = 255;
/** How sure a learned mapping is: more than a suggestion, less than the user's own choice for this list. */
const confidence = 0.97;

export type Learning = ReturnType<typeof createLearning>;

/** Learns from the mappings that users change, for all tenants: the same header with the same kind of values gets the same mapping. */
export function createLearning({
  learned,
  clock,
  writeAuditLog,
}: Pick<ImportsDeps, 'learned' | 'clock' | 'writeAuditLog'>) {
  const oneAtATime = new KeyedLock();

  return {
    list: learned.list,

    /** Keeps what a user chose instead of what was suggested. */
    learn({ headers, rows }: Columns, before: readonly FieldMapping[], chosen: readonly FieldMapping[], actor: Actor) {
      const suggested = new Map(before.map((mapping) => [mapping.source, mapping]));
      return oneAtATime.run('learn', async () => {
        const valueKindOf = await valueKindsIn(rows);
        for (const { source, target, transform } of chosen) {
          const earlier = suggested.get(source);
          if (!earlier || (earlier.target === target && earlier.transform === transform)) continue;
          const header = plain(source);
          if (header === '') continue;
          await learned.save({
            id: newId(),
            header,
            valueKind: valueKindOf(headers.indexOf(source)),
            source,
            target,
            transform: transform ?? null,
            createdAt: clock.now(),
            createdBy: actor.username,
          });
        }
      });
    },

    /** Suggestions with what users chose for such columns; other columns give way to it. */
    async apply({ headers, rows }: Columns, suggested: readonly FieldMapping[]): Promise<FieldMapping[]> {
      const known = await learned.withHeaders(headers.map(plain).filter(Boolean));
      if (known.length === 0) return [...suggested];
      const valueKindOf = await valueKindsIn(rows);
      const filled = new Set<string>();
      const taken = suggested.map(({ source }): FieldMapping | undefined => {
        const entries = known.filter(({ header }) => header === plain(source));
        const kind = entries.length > 0 ? valueKindOf(headers.indexOf(source)) : '';
        const entry = entries.find(({ valueKind }) => valueKind === kind);
        const mapping = entry && mappingOf(entry, source);
        if (!mapping || targetsFilledBy(mapping).some((target) => filled.has(target) && mapping.transform !== 'join'))
          return undefined;
        for (const target of targetsFilledBy(mapping)) filled.add(target);
        return mapping;
      });
      return suggested.map((mapping, at) => {
        const own = taken[at];
        if (own) return { ...own, alternatives: [{ target: mapping.target, confidence: 0.5 }] };
        if (!targetsFilledBy(mapping).some((target) => filled.has(target))) return mapping;
        const reason = 'Another column was chosen for this field in an earlier list';
        return { source: mapping.source, target: 'skip', confidence: 0.5, reason };
      });
    },

    /** @throws AppError not_found */
    async forget(id: string, actor: Actor): Promise<void> {
      const entry = await learned.find(id);
      if (!entry) throw notFound('learned mapping', id);
      await learned.remove(id);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${actor.username} had the mapping of the column ${entry.source} forgotten`,
        details: { user_id: actor.userId, username: actor.username, target: entry.target },
      });
    },
  };
}

const mappingOf = ({ id, target, transform, createdBy, createdAt }: LearnedMapping, source: string): FieldMapping => ({
  source,
  target,
  confidence,
  ...(transform === null ? {} : { transform }),
  reason: `Chosen by ${createdBy} for this column on ${createdAt.toISOString()}`,
  learned_id: id,
});

/** What most of a column's values look like. The rules are loaded on first use. */
async function valueKindsIn(rows: Columns['rows']): Promise<(column: number) => string> {
  const { profileOf } = await import('../mapping/rules/profile.ts');
  return (column) => {
    const { filled, share } = profileOf(rows, column);
    if (filled === 0) return 'empty';
    return kinds.find((kind) => share(kind) >= minShare) ?? 'other';
  };
}

const plain = (header: string): string => plainHeader(header.slice(0, 4 * maxHeaderLength)).slice(0, maxHeaderLength);
