import type { TableRow } from '../../../../adapters/tabular/tabular.ts';
import { type MappingTarget, maxLengthOf } from '../../mapping/field-mapping.ts';
import { cut } from '../values/text.ts';
import { errorCodes, type FindingCode, type RowFinding } from './finding.ts';
import type { Outcome, OutcomeWithFinding } from './outcome.ts';

const maxValueLength = 200;

/** A row on its way from cells to values. One is used for all rows, one after the other: a million of them would be waste. */
export class CheckedRow {
  /** The normalised values, a target each. */
  readonly values: string[];
  findings: RowFinding[] = [];
  rejected = false;
  /** The part of the value that fits no field. */
  readonly #asides: string[] = [];
  readonly #targets: readonly MappingTarget[];
  readonly #longest: readonly number[];
  #row = 0;
  #fileRow = 0;

  constructor(targets: readonly MappingTarget[]) {
    this.#targets = targets;
    this.#longest = targets.map(maxLengthOf);
    this.values = targets.map(() => '');
  }

  start({ number, fileRow }: TableRow): void {
    this.#row = number;
    this.#fileRow = fileRow;
    this.rejected = false;
    this.values.fill('');
    if (this.findings.length > 0) this.findings = [];
    if (this.#asides.length > 0) this.#asides.length = 0;
  }

  /** Stores an outcome for the target at `index`, with its findings; returns a second value, if there is one. */
  put(index: number, column: string, text: string, outcome: Outcome): string {
    if (typeof outcome === 'string') {
      this.values[index] =
        outcome.length > (this.#longest[index] ?? 0) ? this.#fitted(index, column, outcome) : outcome;
      return '';
    }
    this.#putOdd(index, column, text, outcome);
    return outcome.second ?? '';
  }

  /** Keeps what a field can't hold: "cell_phone: ask his mother". */
  keepUnclear(name: string, text: string): void {
    this.#asides.push(`${name}: ${text}`);
  }

  unclear(): string {
    return this.#asides.length === 0 ? '' : this.#asides.join('; ');
  }

  /** Adds a finding about the target at `index`, or about the whole row if undefined. */
  addFinding(
    code: FindingCode,
    index: number | undefined,
    column: string | null,
    value: string,
    message: string,
  ): void {
    if (code in errorCodes) this.rejected = true;
    const field = index === undefined ? null : (this.#targets[index] ?? null);
    this.findings.push({
      row: this.#row,
      file_row: this.#fileRow,
      column,
      field,
      code,
      message,
      value: cut(value, maxValueLength),
    });
  }

  #putOdd(index: number, column: string, text: string, outcome: OutcomeWithFinding): void {
    this.addFinding(outcome.code, index, column, text, outcome.message);
    if (outcome.unclear !== undefined) this.keepUnclear(this.#targets[index] ?? '', outcome.unclear);
    this.put(index, column, text, outcome.value);
  }

  #fitted(index: number, column: string, text: string): string {
    const target = this.#targets[index] ?? 'skip';
    const longest = maxLengthOf(target);
    if (target === 'first_name' || target === 'last_name') {
      this.addFinding('name_too_long', index, column, text, `A name can have at most ${longest} characters`);
    } else {
      this.addFinding('shortened', index, column, text, `Longer than ${longest} characters; the rest was cut off`);
      if (longest < 1000) this.keepUnclear(target, text);
    }
    return cut(text, longest);
  }
}
