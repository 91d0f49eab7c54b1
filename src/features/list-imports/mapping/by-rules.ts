import { setImmediate } from 'node:timers/promises';
import { errorColumns } from '../rows/files/errors-csv.ts';
import type { FieldMapping } from './field-mapping.ts';
import { applyAdjacentColumns } from './rules/adjacent-columns.ts';
import { type Column, candidatesOf } from './rules/candidates.ts';
import { Choice } from './rules/choice.ts';
import { chooseAddress } from './rules/choose-address.ts';
import { chooseContacts, chooseDistricts, chooseName, chooseRest } from './rules/choose-person.ts';
import { plainHeaders, repeatsOf } from './rules/plain-headers.ts';
import { profileOf } from './rules/profile.ts';
import { readHeader } from './rules/read-header.ts';
import { dropThirdPartyColumns, resolveSubject } from './rules/resolve-subject.ts';
import { fieldOf, isConfusable } from './rules/tables.ts';

/** Cells examined in all, and the minimum of rows, so that wide lists take no longer. */
const maxCells = 20_000;
const minRows = 20;
/** How long the event loop is blocked at most. */
const maxBlockingMs = 10;

/** A list's columns as the suggestions see them. */
export interface ColumnsOfList {
  /** Distinct; generated if the list has none. */
  headers: readonly string[];
  /** Rows of data as displayed. */
  sampleRows: readonly (readonly string[])[];
  hasHeader: boolean;
}

/**
 * Suggests a mapping for each column by rules alone: from its header, its values and the other columns. Deterministic.
 * @returns one mapping a column, in their order
 */
export async function mapByRules({ headers, sampleRows, hasHeader }: ColumnsOfList): Promise<FieldMapping[]> {
  const shown = hasHeader ? plainHeaders(headers) : headers.map(() => '');
  const repeats = hasHeader ? repeatsOf(headers) : [];
  const rows = sampleRows.slice(0, Math.max(minRows, Math.floor(maxCells / Math.max(1, headers.length))));
  const columns: Column[] = [];
  let since = performance.now();
  for (const [index, header] of headers.entries()) {
    const reading = readHeader(shown[index] ?? header);
    const profile = profileOf(rows, index);
    const candidates = candidatesOf(reading, profile, hasHeader);
    const counted = repeats[index] ? candidates.filter(({ meaning }) => meaning === 'phone') : candidates;
    columns.push({ index, header, reading, profile, candidates: counted });
    if (performance.now() - since < maxBlockingMs) continue;
    await setImmediate();
    since = performance.now();
  }
  applyAdjacentColumns(columns, hasHeader);
  resolveSubject(columns);
  const choice = new Choice(columns);
  chooseName(choice);
  dropThirdPartyColumns(choice, columns);
  chooseAddress(choice, columns);
  chooseContacts(choice);
  chooseDistricts(choice);
  chooseRest(choice);
  const nameOf = customNames();
  // Columns that precede the list's own in a list of rejected rows that is uploaded again.
  const isRejected = hasHeader && errorColumns.every((name, index) => headers[index] === name);
  return columns.map((column): FieldMapping => {
    const { header: source, reading } = column;
    const skip = (confidence: number, reason: string) => ({ source, target: 'skip', confidence, reason }) as const;
    if (isRejected && column.index < errorColumns.length)
      return skip(0.99, 'Added by Tenantry to a list of rejected rows');
    const chosen = choice.chosen.get(column);
    if (!chosen && reading.kind === 'system')
      return skip(reading.certainty, 'Only used by the system that exported the list');
    const says = reading.kind !== 'unknown' || reading.words.length > 0 || column.profile.filled > 0;
    if (!chosen && !says) return skip(0.95, 'No header and no values');
    const alternatives = alternativesOf(column).filter(({ target }) => target !== chosen?.field);
    const reason = column.candidates.length > 0 ? 'Another column fits the field better' : 'Matches no person field';
    return {
      source,
      target: chosen?.field ?? `custom_fields.${nameOf(source)}`,
      confidence: chosen ? rounded(Math.min(0.99, chosen.certainty)) : customFieldCertainty(column, choice),
      ...(chosen?.transform && { transform: chosen.transform }),
      reason: chosen?.reason ?? reason,
      ...(alternatives.length > 0 && { alternatives }),
    };
  });
}

/** How sure it is that a column fills no person field. */
function customFieldCertainty({ reading, candidates: [candidate], profile }: Column, choice: Choice): number {
  if (candidate) {
    const chosen = [...choice.chosen.values()].find(({ field }) => field === fieldOf(candidate.meaning));
    // The column chosen instead is less certain itself: it may be the wrong one of the two.
    if (chosen && chosen.certainty < Math.min(0.75, candidate.certainty)) return 0.75;
    const isRival = candidate.ordinal === 1 && isConfusable(candidate.meaning);
    return isRival && /plain|residence/.test(candidate.place) ? 0.87 : 0.91;
  }
  // A list has names: if none was found, this column may hold them.
  const isNameless = !choice.has('first_name') && reading.words.some((word) => /^(?:first|last|full|name)$/.test(word));
  if (isNameless) return 0.7;
  if (reading.kind === 'custom') return reading.certainty;
  if (reading.kind === 'unknown') return profile.filled === 0 ? 0.85 : 0.8;
  return 0.92;
}

/** The best three fields of a column's candidates, each once. */
function alternativesOf({ candidates }: Column): NonNullable<FieldMapping['alternatives']> {
  const fields = Map.groupBy(candidates, ({ meaning }) => fieldOf(meaning));
  return [...fields]
    .map(([target, [best]]) => ({ target, confidence: rounded((best?.certainty ?? 0) * 0.5) }))
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, 3);
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

const longest = 64;
/** Names with a meaning of their own in JavaScript objects, or in the rows that the import writes. */
const reserved = new Set(['constructor', 'prototype', 'tostring', 'valueof', 'hasownproperty']);

/**
 * Names of custom fields for columns: snake_case, from a letter on, at most 64 characters, each distinct from the others.
 * @returns a function to be called once a column, in their order
 */
export function customNames(): (header: string) => string {
  const given = new Set<string>();
  return (header) => {
    const plain = snakeCase(header);
    const safe =
      /^[a-z]/.test(plain) && !reserved.has(plain.replaceAll('_', '')) ? plain : `field_${plain || 'unnamed'}`;
    const base = safe.slice(0, longest).replace(/(?<!_)_+$/, '');
    let name = base;
    for (let count = 2; given.has(name); count += 1)
      name = `${base.slice(0, longest - 1 - `${count}`.length)}_${count}`;
    given.add(name);
    return name;
  };
}

const snakeCase = (header: string): string =>
  header
    .slice(0, 4 * longest)
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll})/gu, '$&_')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
