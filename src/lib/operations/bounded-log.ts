/** Characters of one operation's log, as long as a book shelf; a program that never stops talking must not fill the disk. */
const maxCharacters = 32 * 1024 * 1024;
/** What a line costs beside its text. */
export const lineOverhead = 50;

export interface BoundedLog {
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
