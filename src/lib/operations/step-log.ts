/** Maximum characters of an operation's log; an endless output must not fill the disk. */
const maxCharacters = 32 * 1024 * 1024;
/** What a line costs in addition to its text. */
const lineOverhead = 50;

interface BoundedLog {
  /** Appends a line until the limit is reached, then notes once that further output is dropped. */
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
      append(left > 0 ? line : 'The log is too long: further output is dropped');
    },
    left: () => Math.max(left, 0),
  };
}

/** Characters of a step's log kept from its start: some 100,000 lines. */
const maxAtStart = 12 * 1024 * 1024;
/** Characters kept from its end (up to twice as many). */
const maxAtEnd = 512 * 1024;

interface StepLog {
  log(line: string): void;
  /** Appends what was held back: a note of the dropped part, then the end. */
  end(): void;
}

/**
 * Bounds a step's output so that later steps have room in the operation's log: the first part (at most half of what is left) is
 * appended at once, the end of the output when the step ends.
 */
export function stepLog({ log: append, left }: BoundedLog): StepLog {
  const atStart = Math.min(maxAtStart, left() / 2);
  let firstCost = 0;
  let atEnd: string[] = [];
  let endCost = 0;
  let droppedBytes = 0;
  let held = false;
  return {
    log(line) {
      if (!held && firstCost < atStart) {
        firstCost += line.length + lineOverhead;
        append(line);
        return;
      }
      if (!held) append('… The output of this step is long: its end follows when the step ends …');
      held = true;
      atEnd.push(line);
      endCost += line.length + lineOverhead;
      if (endCost < 2 * maxAtEnd) return;
      let dropped = 0;
      for (const first of atEnd) {
        const cost = first.length + lineOverhead;
        if (endCost - cost < maxAtEnd) break;
        endCost -= cost;
        droppedBytes += Buffer.byteLength(first) + 1;
        dropped += 1;
      }
      atEnd.splice(0, dropped);
    },
    end() {
      if (droppedBytes > 0) append(`… ${droppedBytes} bytes dropped …`);
      for (const line of atEnd) append(line);
      atEnd = [];
      endCost = 0;
      droppedBytes = 0;
    },
  };
}
