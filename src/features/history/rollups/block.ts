import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Bucket, Stat } from './bucket.ts';

/** Offset, then count, sum and maximum of each metric. */
const columnsOf = (metrics: number): number => 1 + 3 * metrics;

/**
 * Packs buckets into a block: the number of metrics, then 32-bit floats by column, deflated. A count is exact up to 2²⁴, other values
 * to seven digits; by column they shrink to about a third.
 * @param start of the block, in seconds since 1970
 */
export function packBlock(buckets: readonly Bucket[], { start, step }: { start: number; step: number }): Buffer {
  const metrics = Math.max(0, ...buckets.map(({ stats }) => stats.length));
  const rows = buckets.length;
  const table = new Float32Array(rows * columnsOf(metrics));
  for (const [row, { at, stats }] of buckets.entries()) {
    table[row] = (at - start) / step;
    for (let metric = 0; metric < metrics; metric += 1) {
      const { count, sum, max } = stats[metric] ?? { count: 0, sum: 0, max: 0 };
      const first = 1 + 3 * metric;
      table[first * rows + row] = count;
      table[(first + 1) * rows + row] = sum;
      table[(first + 2) * rows + row] = max;
    }
  }
  return Buffer.concat([Buffer.from([metrics]), deflateRawSync(new Uint8Array(table.buffer), { level: 6 })]);
}

/** The buckets of a block, oldest first. */
export function unpackBlock(block: Uint8Array, { start, step }: { start: number; step: number }): Bucket[] {
  const metrics = block[0] ?? 0;
  const bytes = inflateRawSync(block.subarray(1));
  // A copy: the bytes may lie anywhere in a shared buffer.
  const table = new Float32Array(Uint8Array.from(bytes).buffer);
  const rows = table.length / columnsOf(metrics);
  const cell = (column: number, row: number): number => table[column * rows + row] ?? 0;
  const statOf = (metric: number, row: number): Stat | undefined => {
    const first = 1 + 3 * metric;
    const count = cell(first, row);
    return count === 0 ? undefined : { count, sum: cell(first + 1, row), max: cell(first + 2, row) };
  };
  return Array.from({ length: rows }, (_, row) => ({
    at: start + cell(0, row) * step,
    stats: Array.from({ length: metrics }, (__, metric) => statOf(metric, row)),
  }));
}
