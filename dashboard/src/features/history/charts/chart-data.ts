import type { components } from '../../../api/schema.ts';

type MetricHistory = components['schemas']['MetricHistory'];

/** A line of a chart: a metric's averages (or sums), or its highest values. */
export interface Line {
  metric: string;
  name: string;
  highest?: boolean;
}

export interface ChartData {
  /** In seconds since 1970. */
  at: number[];
  lines: { name: string; values: (number | null)[] }[];
}

/** A longer pause than this many usual distances is a gap. */
const gapFactor = 3;

/**
 * The lines of a chart that have values, on a common time axis. Periods that none of them has are left out, and where measurements are
 * missing for long, the lines break.
 */
export function chartData({ at, step, series }: MetricHistory, wanted: readonly Line[]): ChartData {
  const found = wanted.flatMap(({ metric, name, highest }) => {
    const one = series.find((candidate) => candidate.name === metric);
    const values = (highest ? one?.max : one?.values) ?? [];
    return values.some((value) => value !== null) ? [{ name, values }] : [];
  });
  const kept = [...at.keys()].filter((index) => found.some(({ values }) => values[index] != null));
  const times = kept.map((index) => at[index] ?? 0);
  const distances = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const usual = Math.max(step, median(distances));
  const data: ChartData = { at: [], lines: found.map(({ name }) => ({ name, values: [] })) };
  for (const [place, index] of kept.entries()) {
    const time = times[place] ?? 0;
    const before = times[place - 1];
    if (before !== undefined && time - before > gapFactor * usual) {
      data.at.push(before + usual);
      for (const line of data.lines) line.values.push(null);
    }
    data.at.push(time);
    for (const [row, line] of data.lines.entries()) line.values.push(found[row]?.values[index] ?? null);
  }
  return data;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The last and the highest value of a line; undefined: it has none. */
export function extremesOf(values: readonly (number | null)[]): { last: number; highest: number } | undefined {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  return last === undefined ? undefined : { last, highest: Math.max(...known) };
}
