export type Level = 'error' | 'warning';

/** A line, and which of several writers of one log it is from. */
export interface LogLine {
  from: string;
  text: string;
  /** When it was written (ISO 8601), where that is known. */
  time?: string | undefined;
  /** The node that wrote it, on a swarm. */
  node?: string | undefined;
  level?: Level;
}

/** How many lines of each writer are remembered; more than a log replays. */
const remembered = 1_000;

/**
 * The lines shown last, so that a log replayed after a lost connection continues at the right line. Writers are compared
 * separately, because a replay may interleave their lines differently.
 */
export class Shown {
  readonly #last = new Map<string, string[]>();

  add(lines: readonly LogLine[]): void {
    for (const { from, text } of lines) {
      const last = this.#last.get(from) ?? [];
      last.push(text);
      if (last.length > 2 * remembered) last.splice(0, last.length - remembered);
      this.#last.set(from, last);
    }
  }

  /** The new ones among replayed lines; `gap`: lines in between may be lost. */
  newOf(lines: readonly LogLine[]): { lines: LogLine[]; gap: boolean } {
    let gap = false;
    const skip = new Map<string, number>();
    for (const from of new Set(lines.map((line) => line.from))) {
      const last = this.#last.get(from);
      if (!last) continue;
      const replayed = lines.filter((line) => line.from === from).map(({ text }) => text);
      const known = knownOf(last, replayed);
      skip.set(from, known);
      gap ||= known === 0;
    }
    const left = lines.filter(({ from }) => {
      const known = skip.get(from) ?? 0;
      if (known > 0) skip.set(from, known - 1);
      return known <= 0;
    });
    return { lines: left, gap };
  }
}

/** How many of the replayed lines are known: up to the last position where they continue those shown last. */
function knownOf(shown: readonly string[], replayed: readonly string[]): number {
  for (let end = replayed.length; end > 0; end -= 1) {
    const length = Math.min(end, shown.length);
    let same = 0;
    while (same < length && replayed[end - 1 - same] === shown[shown.length - 1 - same]) same += 1;
    if (same === length) return end;
  }
  return 0;
}
