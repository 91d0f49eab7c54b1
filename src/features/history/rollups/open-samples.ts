import type { Sample } from './bucket.ts';

/** The first size of a subject's samples: an hour of checks and of usage, once a minute each. */
const firstCapacity = 128;

/** A subject's samples that are not rolled up yet, as typed arrays that grow: about 6 KB for an hour, no garbage. */
export class OpenSamples {
  readonly #metrics: number;
  #at: Float64Array;
  #values: Float32Array;
  #count = 0;

  constructor(metrics: number) {
    this.#metrics = metrics;
    this.#at = new Float64Array(firstCapacity);
    this.#values = new Float32Array(firstCapacity * metrics);
  }

  add({ at, values }: Sample): void {
    if (this.#count === this.#at.length) this.#grow();
    this.#at[this.#count] = at;
    this.#values.set(
      Array.from({ length: this.#metrics }, (_, index) => values[index] ?? Number.NaN),
      this.#count * this.#metrics,
    );
    this.#count += 1;
  }

  /** In the order of their arrival. */
  *read({ from, until }: { from: number; until: number }): Generator<Sample> {
    for (let index = 0; index < this.#count; index += 1) {
      const at = this.#at[index] ?? 0;
      if (at < from || at >= until) continue;
      yield { at, values: this.#values.subarray(index * this.#metrics, (index + 1) * this.#metrics) };
    }
  }

  /** Removes those before a moment. @returns whether there are others */
  removeBefore(moment: number): boolean {
    let kept = 0;
    for (let index = 0; index < this.#count; index += 1) {
      if ((this.#at[index] ?? 0) < moment) continue;
      this.#at[kept] = this.#at[index] ?? 0;
      this.#values.copyWithin(kept * this.#metrics, index * this.#metrics, (index + 1) * this.#metrics);
      kept += 1;
    }
    this.#count = kept;
    return kept > 0;
  }

  #grow(): void {
    const [at, values] = [this.#at, this.#values];
    this.#at = new Float64Array(2 * at.length);
    this.#values = new Float32Array(2 * values.length);
    this.#at.set(at);
    this.#values.set(values);
  }
}
