/** Characters of one operation's log, as long as a book shelf; a program that never stops talking must not fill the disk. */
const maxCharacters = 32 * 1024 * 1024;
/** What a line costs beside its text. */
const lineOverhead = 50;

interface BoundedLog {
  /** Appends a line, until there are too many; says once that the rest is left out. */
  log(line: string): void;
  /** Characters that still fit. */
  left(): number;
}

/** Bounds the log of a whole operation. */
export function boundedLog(append: (line: string) => void, most = maxCharacters): BoundedLog {
  let left = most;
  return {
    log(line) {
      if (left <= 0) return;
      left -= line.length + lineOverhead;
      append(left > 0 ? line : 'The log is too long: further output is left out');
    },
    left: () => Math.max(left, 0),
  };
}

/** Characters of a step's log that are kept at its beginning: some 100,000 lines. */
const mostAtStart = 12 * 1024 * 1024;
/** Characters that are kept at its end, and at most twice as many. */
const mostAtEnd = 512 * 1024;

interface Part {
  lines: string[];
  cost: number;
}

const emptyPart = (): Part => ({ lines: [], cost: 0 });
const bytesOf = ({ lines }: Part): number => lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);

function add(part: Part, line: string): void {
  part.lines.push(line);
  part.cost += line.length + lineOverhead;
}

interface StepLog {
  log(line: string): void;
  /** Appends what was held back: how much is left out, and the last part. */
  end(): void;
}

/**
 * Bounds what one step writes into its operation's log, so that the steps after it have room: the first part, at most half of
 * the room that is left, is appended at once; of the rest the last part at the end of the step.
 */
export function stepLog({ log: append, left }: BoundedLog): StepLog {
  const atStart = Math.min(mostAtStart, left() / 2);
  let firstCost = 0;
  // Two parts that take turns: dropping one whole is cheap, however short the lines are.
  let [older, newer] = [emptyPart(), emptyPart()];
  let droppedBytes = 0;
  let held = false;
  return {
    log(line) {
      if (!held && firstCost < atStart) {
        firstCost += line.length + lineOverhead;
        append(line);
        return;
      }
      if (!held) append('… The output of this step is long: its last part follows when the step ends …');
      held = true;
      add(newer, line);
      if (newer.cost < mostAtEnd) return;
      droppedBytes += bytesOf(older);
      [older, newer] = [newer, emptyPart()];
    },
    end() {
      if (droppedBytes > 0) append(`… ${droppedBytes} bytes left out …`);
      for (const line of [...older.lines, ...newer.lines]) append(line);
      [older, newer] = [emptyPart(), emptyPart()];
      droppedBytes = 0;
    },
  };
}
