import { type FieldMapping, plainHeader, targetsFilledBy } from '../mapping/field-mapping.ts';
import type { ImportTemplate } from '../store.ts';

/** Share of a template's columns that a list needs to match its layout. */
const sameLayout = 0.9;
/** Similarity above which two headers count as spellings of one. */
const sameHeader = 0.8;
/** Unequal columns that are compared letter by letter, at most. */
const maxCompared = 200;

/** A list's columns held against a template's. */
interface Fit {
  /** Share of the template's columns that the list has. */
  share: number;
  /** The template's mappings, as those of the list's own columns. */
  mappings: ReadonlyMap<string, FieldMapping>;
}

/** The template whose layout a list has, where one has it: the best, of equals the newest. */
export function matchTemplate(templates: readonly ImportTemplate[], headers: readonly string[]) {
  const fits = templates.map((template) => ({ template, ...fitOf(template.mappings, headers) }));
  const best = fits
    .filter(({ share }) => share >= sameLayout)
    .sort((a, b) => b.share - a.share || b.mappings.size - a.mappings.size);
  return best[0];
}

/**
 * A template's mappings for a list: each of its columns by the header that is alike. Columns the template does not know keep
 * what they have, unless that field is filled now.
 * @param present what the list's columns are mapped to so far
 */
export function applyTemplate(
  template: Pick<ImportTemplate, 'name' | 'mappings'>,
  headers: readonly string[],
  present: readonly FieldMapping[],
): { mappings: FieldMapping[]; warnings: string[] } {
  const fit = fitOf(template.mappings, headers);
  const filled = new Set<string>([...fit.mappings.values()].flatMap(targetsFilledBy));
  const bySource = new Map(present.map((mapping) => [mapping.source, mapping]));
  const mappings = headers.map((source): FieldMapping => {
    const known = fit.mappings.get(source);
    if (known) return known;
    const kept = bySource.get(source);
    return kept && targetsFilledBy(kept).every((field) => !filled.has(field))
      ? kept
      : { source, target: 'skip', confidence: 0.5 };
  });
  const found = new Set([...fit.mappings.values()].map(({ reason }) => reason));
  const missing = template.mappings.filter(({ source, target }) => target !== 'skip' && !found.has(reasonOf(source)));
  const named = missing.slice(0, 5).map(({ source }) => JSON.stringify(source));
  return {
    mappings,
    warnings:
      missing.length === 0
        ? []
        : [`The list has no column like ${named.join(', ')} of the template “${template.name}”.`],
  };
}

const reasonOf = (source: string): string => `Matches the template’s column ${JSON.stringify(source)}`;

/** Equal headers find each other first, then those that are alike, the likest first; each once. */
function fitOf(template: readonly FieldMapping[], headers: readonly string[]): Fit {
  const mappings = new Map<string, FieldMapping>();
  let left = [...template];
  const take = (mapping: FieldMapping, header: string, likeness: number): void => {
    const { target, transform } = mapping;
    mappings.set(header, {
      source: header,
      target,
      confidence: likeness,
      ...(transform === undefined ? {} : { transform }),
      reason: reasonOf(mapping.source),
    });
  };
  for (const [spelling, likeness] of [
    [(header: string) => header, 1],
    [plainHeader, 0.99],
  ] as const) {
    const open = new Map(headers.filter((header) => !mappings.has(header)).map((header) => [spelling(header), header]));
    left = left.filter((mapping) => {
      const header = open.get(spelling(mapping.source));
      if (header === undefined || mappings.has(header)) return true;
      take(mapping, header, likeness);
      return false;
    });
  }
  const open = headers.filter((header) => !mappings.has(header)).slice(0, maxCompared);
  const pairs = left.slice(0, maxCompared).flatMap((mapping) => {
    const likenessTo = likenessOf(mapping.source);
    return open.map((header) => ({ mapping, header, likeness: likenessTo(header) }));
  });
  const taken = new Set<FieldMapping>();
  const alike = pairs.filter(({ likeness }) => likeness >= sameHeader).sort((a, b) => b.likeness - a.likeness);
  for (const { mapping, header, likeness } of alike) {
    if (taken.has(mapping) || mappings.has(header)) continue;
    taken.add(mapping);
    take(mapping, header, Math.round(likeness * 100) / 100);
  }
  return { share: template.length === 0 ? 0 : mappings.size / template.length, mappings };
}

/** How alike headers are by the pairs of letters that they have in common (Dice's coefficient), below 1. */
function likenessOf(one: string): (other: string) => number {
  const a = plainHeader(one);
  const left = pairsOf(a);
  return (other) => {
    const b = plainHeader(other);
    // A digit more or less is another column: "Phone 1" and "Phone 2".
    if (a.length < 2 || b.length < 2 || digitsOf(a) !== digitsOf(b)) return 0;
    const right = pairsOf(b);
    const common = [...left].filter((pair) => right.has(pair)).length;
    return Math.min(0.98, (2 * common) / (left.size + right.size));
  };
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
