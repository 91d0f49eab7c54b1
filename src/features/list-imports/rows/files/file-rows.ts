/** Positions where blank rows shift the count; beyond, a row's number in the file is unknown. */
const maxShifts = 100_000;

/** Maps data rows to rows of the file; stores only the positions where blank rows shift the count. */
export class FileRows {
  readonly #numbers: number[] = [];
  readonly #shifts: number[] = [];
  #shift = Number.NaN;
  #known = Number.POSITIVE_INFINITY;

  /** Adds a row; rows are added in order. */
  record(number: number, fileRow: number): void {
    if (fileRow - number === this.#shift || number >= this.#known) return;
    if (this.#numbers.length === maxShifts) {
      this.#known = number;
      return;
    }
    this.#shift = fileRow - number;
    this.#numbers.push(number);
    this.#shifts.push(this.#shift);
  }

  /** The row as a spreadsheet counts it; undefined where that is not known. */
  of(number: number): number | undefined {
    if (number >= this.#known) return undefined;
    let [low, high] = [0, this.#numbers.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#numbers[middle] ?? 0) <= number) low = middle;
      else high = middle - 1;
    }
    const shift = this.#shifts[low];
    return shift === undefined ? undefined : number + shift;
  }
}
