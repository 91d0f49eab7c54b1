import type { ColumnsOfList } from './by-rules.ts';
import type { FieldMapping } from './field-mapping.ts';

/**
 * What a column is about that is imported only if a user chooses it, by the words of its header. The kinds are special categories of
 * personal data (GDPR, article 9 and 10) and identifiers whose loss must be reported under the laws of US states.
 */
const kinds: readonly [kind: string, header: RegExp][] = [
  [
    'race or ethnicity',
    / (?:race|racial|ethn?|ethnic[a-z]*|hisp|hispanic|latin[oax]|raza|etnia|etnicidad|origen etnico) /,
  ],
  ['religion', / (?:relig|religi[a-z]*|denomination|faith|church|konfession|creed|iglesia) /],
  [
    'social security number',
    / (?:ssn|ssan|socsec|social ?security[a-z]*|soc(?:ial)? sec|ss (?:no|num|nbr|number)|sozialversicherungsnummer|seguro social) /,
  ],
  [
    'driver’s licence',
    / (?:(?:drivers?|driving|drvr?s?|dvr) ?s? ?(?:lic|lics|licn|licen|licn?s|licen[cs]es?)(?:no|num|nbr|number|id)?|licencia de (?:conducir|manejo)|fuhrerscheinnummer|dln|dl(?:no|num|nbr| (?:no|num|nbr|nr|number|id|st|state|issuing state))) |^ dl $/,
  ],
  [
    'identity document',
    / (?:passport[a-z]*|pasaporte|identity card|national id|personalausweis|tax ?id|taxpayer id|itin|dni|curp) /,
  ],
  [
    'bank account or card',
    / (?:iban|bank acc(?:oun)?t|acc(?:oun)?t (?:no|num|nbr|number)|routing (?:no|num|nbr|number)|credit card|card number|cc (?:no|num|nbr|number)|cvv) /,
  ],
  ['health', / (?:medical|diagnosis|disab|disability|disabled|disabilities|health condition|allergies|blood type) /],
  [
    'sexual orientation or gender identity',
    / (?:sexual orientation|sex orientation|gender identity|transgender|lgbtq?) /,
  ],
  ['immigration status', / (?:immigration status|visa status) /],
  ['criminal record', / (?:criminal record|felony|felon|convictions?) /],
];

const socialSecurityNumber = /^\d{3}-\d{2}-\d{4}$/;
/** Values that must look so, at least, and their share of the filled ones. */
const minValues = 3;
const minShare = 0.8;

/** What is sensitive about each column, in the order of the columns; undefined: nothing that its header or its values show. */
export function sensitiveKinds({ headers, sampleRows, hasHeader }: ColumnsOfList): (string | undefined)[] {
  return headers.map((header, at) => {
    const words = ` ${wordsOf(header)} `;
    const byHeader = hasHeader ? kinds.find(([, pattern]) => pattern.test(words))?.[0] : undefined;
    if (byHeader) return byHeader;
    const filled = sampleRows.map((row) => (row[at] ?? '').trim()).filter(Boolean);
    const alike = filled.filter((value) => socialSecurityNumber.test(value)).length;
    return alike >= minValues && alike >= minShare * filled.length ? 'social security number' : undefined;
  });
}

/** Whether the original cell of a column that is not imported must be left out, too: by its header or by what it holds. */
export function withholding(
  { headers, headerRow }: { headers: readonly string[]; headerRow: number | null },
  mappings: readonly FieldMapping[],
): (column: number, cell: string) => boolean {
  const used = new Set(mappings.filter(({ target }) => target !== 'skip').map(({ source }) => source));
  const kindsOf = sensitiveKinds({ headers, sampleRows: [], hasHeader: headerRow !== null });
  return (column, cell) => {
    const header = headers[column];
    if (header === undefined || used.has(header)) return false;
    return kindsOf[column] !== undefined || socialSecurityNumber.test(cell.trim());
  };
}

/** "DriversLicense_No", "driver's license no." and "DLNumber1" become words: "drivers license no", "driver s license no", "dl number 1". */
const wordsOf = (header: string): string =>
  header
    .slice(0, 200)
    .normalize('NFKD')
    .replaceAll(/[\p{M}]/gu, '')
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\d)/gu, ' ')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** The same columns without the values of sensitive ones, for others to see. */
export const withoutSensitiveValues = (
  columns: ColumnsOfList,
  sensitive: readonly (string | undefined)[],
): ColumnsOfList => ({
  ...columns,
  sampleRows: columns.sampleRows.map((row) => row.map((cell, at) => (sensitive[at] ? '' : cell))),
});

/** Sensitive columns that would only become a custom field, notes or tags are skipped; a user may choose otherwise. */
export const skipSensitive = (
  mappings: readonly FieldMapping[],
  sensitive: readonly (string | undefined)[],
): FieldMapping[] =>
  mappings.map((mapping, at) => {
    const { source, target, alternatives = [] } = mapping;
    const kind = sensitive[at];
    if (!kind || !(target.startsWith('custom_fields.') || target === 'notes' || target === 'tags')) return mapping;
    return {
      source,
      target: 'skip',
      confidence: 0.95,
      reason: `Sensitive (${kind}): imported only if you choose it`,
      alternatives: [{ target, confidence: 0.5 }, ...alternatives].slice(0, 3),
    };
  });
