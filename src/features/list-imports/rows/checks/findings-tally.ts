import type { FindingCode, RowFinding } from './finding.ts';
import { errorCodes } from './finding.ts';

const shown = 1_000;

/** Gathers what is said of rows: the first thousand errors and warnings, and how many there are of each kind. */
export class FindingsTally {
  readonly errors: RowFinding[] = [];
  readonly warnings: RowFinding[] = [];
  readonly #counts = new Map<string, { code: FindingCode; column: string | null; count: number }>();

  add(finding: RowFinding): void {
    const list = finding.code in errorCodes ? this.errors : this.warnings;
    if (list.length < shown) list.push(finding);
    const key = `${finding.code}|${finding.column}`;
    const counted = this.#counts.get(key);
    if (counted) counted.count += 1;
    else this.#counts.set(key, { code: finding.code, column: finding.column, count: 1 });
  }

  /** The most frequent first. */
  summary(): { code: FindingCode; column: string | null; count: number }[] {
    return [...this.#counts.values()].sort((one, other) => other.count - one.count);
  }
}
