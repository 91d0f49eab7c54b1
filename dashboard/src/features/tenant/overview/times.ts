/** A summary of response times in ms; null if nothing answered. */
export interface TimesSummary {
  fastest: number | null;
  middle: number | null;
  slowest: number | null;
  /** Checks without an answer. */
  missing: number;
  checks: number;
}

/** Response times in ms, oldest first; null without an answer. */
type Times = readonly (number | null)[];

export function summaryOf(times: Times): TimesSummary {
  const answered = times.filter((ms) => ms !== null).sort((a, b) => a - b);
  return {
    fastest: answered[0] ?? null,
    middle: answered[Math.floor(answered.length / 2)] ?? null,
    slowest: answered.at(-1) ?? null,
    missing: times.length - answered.length,
    checks: times.length,
  };
}

interface Drawing {
  /** An SVG path: a piece for each run of answers. */
  line: string;
  /** Positions without an answer, from the left. */
  gaps: number[];
}

/**
 * A line of response times in a box of `width` × `height`, the newest at the right, zero at the bottom. The scale ends at the
 * slowest of them, or at `leastTop` ms, so that a site that is always fast does not look restless.
 */
export function drawTimes(times: Times, width: number, height: number, leastTop = 50): Drawing {
  const top = Math.max(leastTop, ...times.map((ms) => ms ?? 0));
  const step = times.length > 1 ? width / (times.length - 1) : 0;
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  const gaps: number[] = [];
  let line = '';
  for (const [index, ms] of times.entries()) {
    const x = rounded(times.length > 1 ? index * step : width);
    if (ms === null) {
      gaps.push(x);
      continue;
    }
    const y = rounded(height - (ms / top) * height);
    const goesOn = index > 0 && times[index - 1] !== null;
    // A single answer between two failures is a dot: a zero-length line with round caps.
    line += goesOn ? `L${x} ${y}` : `M${x} ${y}h0`;
  }
  return { line, gaps };
}
