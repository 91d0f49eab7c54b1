import { setImmediate } from 'node:timers/promises';
import { errorColumns } from '../rows/files/errors-csv.ts';
import type { FieldMapping, MappingTarget } from './field-mapping.ts';
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
  chooseDistricts(choice, columns);
  chooseRest(choice);
  const nameOf = customNames();
  const ours = hasHeader ? errorColumnCount(headers) : 0;
  return columns.map((column) =>
    column.index < ours
      ? {
          source: column.header,
          target: 'skip',
          confidence: 0.99,
          reason: 'Added by Tenantry to a list of rejected rows',
        }
      : mappingOf(column, choice, nameOf),
  );
}

/** How many columns precede the list's own in a list of rejected rows that is uploaded again. */
const errorColumnCount = (headers: readonly string[]): number =>
  errorColumns.every((name, index) => headers[index] === name) ? errorColumns.length : 0;

function mappingOf(column: Column, choice: Choice, nameOf: (header: string) => string): FieldMapping {
  const { header: source, candidates } = column;
  const chosen = choice.chosen.get(column);
  if (!chosen) return unmatchedMapping(column, choice, nameOf);
  const others = candidates.map(({ meaning, certainty }) => ({
    target: fieldOf(meaning),
    confidence: rounded(certainty * 0.5),
  }));
  const alternatives = distinct(others).filter(({ target }) => target !== chosen.field);
  return {
    source,
    target: chosen.field,
    confidence: rounded(Math.min(0.99, chosen.certainty)),
    ...(chosen.transform && { transform: chosen.transform }),
    reason: chosen.reason,
    ...(alternatives.length > 0 && { alternatives }),
  };
}

/** A column that fills no person field: a custom field, or skipped if it is useless. */
function unmatchedMapping(column: Column, choice: Choice, nameOf: (header: string) => string): FieldMapping {
  const { header: source, reading, profile, candidates } = column;
  const blank = profile.filled === 0;
  const skip = (confidence: number, reason: string): FieldMapping => ({ source, target: 'skip', confidence, reason });
  if (reading.kind === 'system') return skip(reading.certainty, 'Only used by the system that exported the list');
  if (reading.kind === 'unknown' && reading.words.length === 0 && blank) return skip(0.95, 'No header and no values');
  const target: MappingTarget = `custom_fields.${nameOf(source)}`;
  const alternatives = distinct(
    candidates.map(({ meaning, certainty }) => ({ target: fieldOf(meaning), confidence: rounded(certainty * 0.5) })),
  );
  const reason = candidates.length > 0 ? 'Another column fits the field better' : 'Matches no person field';
  return {
    source,
    target,
    confidence: customFieldCertainty(column, choice),
    reason,
    ...(alternatives.length > 0 && { alternatives }),
  };
}

function customFieldCertainty({ reading, candidates, profile }: Column, choice: Choice): number {
  const [candidate] = candidates;
  // The column chosen instead is less certain itself: it may be the wrong one of the two.
  if (candidate && (choice.certaintyOf(fieldOf(candidate.meaning)) ?? 1) < Math.min(0.75, candidate.certainty))
    return 0.75;
  if (candidate)
    return candidate.ordinal === 1 && isConfusable(candidate.meaning) && /plain|residence/.test(candidate.place)
      ? 0.87
      : 0.91;
  // A list has names: if none was found, this column may hold them.
  const isNameless = !choice.has('first_name') && reading.words.some((word) => /^(?:first|last|full|name)$/.test(word));
  if (isNameless) return 0.7;
  if (reading.kind === 'custom') return reading.certainty;
  if (reading.kind === 'unknown') return profile.filled === 0 ? 0.85 : 0.8;
  return 0.92;
}

type Alternative = NonNullable<FieldMapping['alternatives']>[number];

/** The best three, each target once. */
function distinct(alternatives: readonly Alternative[]): Alternative[] {
  const seen = new Set<string>();
  return alternatives
    .filter(({ target }) => (seen.has(target) ? false : seen.add(target)))
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
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
