import { type ColumnsOfList, mapByRules } from '../../../src/features/list-imports/mapping/by-rules.ts';
import type { Layout } from '../../fixtures/list-layouts/layouts.ts';

/** The evaluated part of a mapping. */
interface Suggestion {
  reason?: string;
  target: string;
  confidence: number;
  transform?: string;
}

/** The suggestion for one column, compared with the accepted targets. */
export interface Judged {
  layout: string;
  header: string;
  suggested: Suggestion;
  acceptable: string[];
  right: boolean;
}

/** Maps each layout by the rules and judges the result. */
export async function judge(layouts: readonly Layout[]): Promise<Judged[]> {
  const judged = layouts.map(async (one) => judgeMappings(one, await mapByRules(columnsOf(one))));
  return (await Promise.all(judged)).flat();
}

/** Compares mappings, one for each column, with the targets that the layout accepts. */
export function judgeMappings(layout: Layout, mappings: readonly Suggestion[]): Judged[] {
  return keysOf(layout.headers).map((header, index): Judged => {
    const suggested = mappings[index];
    if (!suggested) throw new Error(`${layout.name}: no suggestion for ${header}`);
    const acceptable = [layout.expected[header] ?? []].flat();
    return { layout: layout.name, header, suggested, acceptable, right: accepts(acceptable, suggested.target) };
  });
}

/** The form in which the list loader passes a list on: distinct headers, generated if a header is missing. */
function columnsOf({ headers, sample_rows, has_header_row }: Layout): ColumnsOfList {
  if (!has_header_row) {
    return {
      headers: headers.map((_, at) => `Column ${at + 1}`),
      sampleRows: [headers, ...sample_rows],
      hasHeader: false,
    };
  }
  const seen = new Map<string, number>();
  const distinct = headers.map((header, at) => {
    const name = header.trim() === '' ? `Column ${at + 1}` : header;
    const count = (seen.get(name.toLowerCase()) ?? 0) + 1;
    seen.set(name.toLowerCase(), count);
    return count === 1 ? name : `${name} (${count})`;
  });
  return { headers: distinct, sampleRows: sample_rows, hasHeader: true };
}

/** The n-th repeat of a header is `<header>#n`. */
function keysOf(headers: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headers.map((header) => {
    const count = (seen.get(header) ?? 0) + 1;
    seen.set(header, count);
    return count === 1 ? header : `${header}#${count}`;
  });
}

function accepts(acceptable: readonly string[], target: string): boolean {
  return acceptable.includes(target) || (target.startsWith('custom_fields.') && acceptable.includes('custom_fields.*'));
}

/** The share of correct columns among those with at least this confidence. */
export function shareRight(judged: readonly Judged[], leastConfidence = 0): { share: number; columns: number } {
  const counted = judged.filter(({ suggested }) => suggested.confidence >= leastConfidence);
  return { share: counted.filter(({ right }) => right).length / counted.length, columns: counted.length };
}
