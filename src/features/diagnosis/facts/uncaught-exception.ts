/** The exception with which a program ended. */
export interface UncaughtException {
  /** Its name and message: `TypeError: x is not a function`; with what caused it, if that is printed, too. */
  error: string;
  /** The first place in the program's own files: `mailer.js:14`. */
  place: string | undefined;
  /** All its lines. */
  lines: readonly string[];
  /** What was printed just before, often by a program that it had started. */
  before: readonly string[];
}

interface Format {
  /** The line that shows where the exception's lines begin, or end. */
  head: RegExp;
  /** Only a program that ends prints it so; others are printed for caught exceptions, too, and count as the very last words only. */
  proves: boolean;
  /** The exception at this line; undefined: it is none. */
  read(lines: readonly string[], at: number): { error: string; from?: number; to?: number } | undefined;
}

const frames: readonly RegExp[] = [
  /([^\s()/\\:"']{1,100}\.(?:[cm]?[jt]sx?|py|rs|go|rb|php|java|kt|scala|cs|fs|vb)):(?:line )?(\d{1,7})/,
  // Python.
  /File "(?:[^"]{0,400}\/)?([^"/]{1,100})", line (\d{1,7})/,
];
/** Frames of run-time systems and libraries. */
const foreign =
  /node:|\/node_modules\/|\/site-packages\/|\/lib\/python3|<frozen |\/usr\/local\/go\/|\/src\/runtime\/|\/rustc\/|\bjava\.base\/|\/vendor\/|\/gems\//;

function placeIn(lines: readonly string[]): string | undefined {
  const own = lines.filter((line) => !foreign.test(line));
  // Python's innermost frame is the last one.
  for (const line of own.some((one) => /^\s+File "/.test(one)) ? own.toReversed() : own)
    for (const frame of frames) {
      const [match, file, number] = frame.exec(line) ?? [];
      if (match) return `${file}:${number}`;
    }
  return undefined;
}

const isIndented = (line: string | undefined): boolean => line !== undefined && /^(?:\s+\S|\s*[})\]]+$)/.test(line);
const afterIndented = (lines: readonly string[], at: number): number => {
  let end = at + 1;
  while (isIndented(lines[end]) || /^Caused by: /.test(lines[end] ?? '')) end += 1;
  return end;
};
const matched = (line: string | undefined, pattern: RegExp): string | undefined => pattern.exec(line ?? '')?.[1];

const formats: readonly Format[] = [
  {
    // Node: the source line, a caret, the exception, and last the version.
    head: /^Node\.js v\d/,
    proves: true,
    read(lines, at) {
      const caret = lines.slice(0, at).findLastIndex((line) => /^\s*\^+\s*$/.test(line));
      const error = lines.slice(0, at).find((line, index) => index > caret && line !== '');
      return caret < 0 || error === undefined ? undefined : { error, from: Math.max(0, caret - 2) };
    },
  },
  {
    head: /^Exception in thread |^(?:PHP )?Fatal error: {1,2}Uncaught |^Unhandled exception\. /,
    proves: true,
    read: (lines, at) => ({
      error: (lines[at] ?? '')
        .replace(
          /^Exception in thread "[^"]{0,100}" |^(?:PHP )?Fatal error: {1,2}Uncaught |^Unhandled exception\. /,
          '',
        )
        .replace(/ in \S{1,300}:\d{1,7}$/, ''),
      to: lines.length,
    }),
  },
  {
    // Go: goroutines follow.
    head: /^(?:panic|fatal error): /,
    proves: true,
    read: (lines, at) => ({ error: (lines[at] ?? '').replace(/ \[recovered.{0,40}\]$/, ''), to: lines.length }),
  },
  {
    // Rust: the message is on the next line, or in older versions on the same.
    head: /^thread '.{0,100} panicked at /,
    proves: true,
    read: (lines, at) => ({
      error: `panic: ${matched(lines[at], / panicked at '(.{1,400})', /) ?? lines[at + 1] ?? ''}`,
      to: lines.length,
    }),
  },
  {
    // Ruby: mailer.rb:14:in 'Mailer#send': undefined method (NoMethodError)
    head: /^\S{1,300}\.rb:\d{1,7}:in .{1,400} \([A-Z][\w:]{1,100}\)$/,
    proves: true,
    read(lines, at) {
      const [, message, name] = /:in [`'].{1,200}': (.{1,300}) \(([\w:]{1,100})\)$/.exec(lines[at] ?? '') ?? [];
      return name === undefined ? undefined : { error: `${name}: ${message}` };
    },
  },
  {
    head: /^Traceback \(most recent call last\):$/,
    proves: false,
    read(lines, at) {
      const from = lines.findIndex((line, index) => index > at && line !== '' && !isIndented(line));
      if (!/^[A-Za-z_][\w.]{0,200}(?:: |$)/.test(lines[from] ?? '')) return undefined;
      // Messages of several lines are indented at least at their end.
      const more = lines.slice(from + 1, from + 12).findLastIndex(isIndented);
      return { error: lines[from] ?? '', to: from + 2 + more };
    },
  },
  {
    // What a program printed before it ended, with or without its stack.
    head: /^(?:Uncaught )?[\w$.]{0,200}(?:Error|Exception|Failure)(?: \[\w{1,60}\])?(?:: |$)/,
    proves: false,
    // Python's is the end of a traceback.
    read: (lines, at) =>
      isIndented(lines[at - 1]) ? undefined : { error: (lines[at] ?? '').replace(/^Uncaught /, '') },
  },
  {
    // Loggers that write JSON.
    head: /^\{.*"stack":/,
    proves: false,
    read(lines, at) {
      const stack = stackIn(lines[at] ?? '');
      return stack === undefined ? undefined : { error: stack };
    },
  },
];

function stackIn(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as { stack?: unknown; err?: { stack?: unknown }; error?: { stack?: unknown } };
    const stack = entry.err?.stack ?? entry.error?.stack ?? entry.stack;
    return typeof stack === 'string' ? stack : undefined;
  } catch {
    return undefined;
  }
}

/** What package managers, shells and servers say when their program has ended. */
const epilogue =
  /^$|^npm (?:error|ERR!)|^error Command failed|^exit status \d|^note: |^Node\.js v\d|\b(?:shutting down|exiting|worker failed to boot)\b/i;
const maxLinesAfter = 5;
const maxLinesBefore = 3;
const maxLength = 200;

/**
 * The exception that ended a program, in the last words of its output; undefined: they show none. One that was caught and logged is
 * followed by other lines.
 * @param output the run's last lines, without terminal sequences, the oldest first
 */
export function uncaughtException(output: readonly string[]): UncaughtException | undefined {
  for (let at = output.length - 1; at >= 0; at -= 1)
    for (const { head, proves, read } of formats) {
      const found = head.test(output[at] ?? '') ? read(output, at) : undefined;
      if (!found) continue;
      const { from = at, to = Math.max(at + 1, afterIndented(output, at)) } = found;
      const after = output.slice(to).filter((line) => !epilogue.test(line));
      if (after.length > (proves ? maxLinesAfter : 0)) continue;
      const lines = [...output.slice(from, to), ...(found.error.includes('\n') ? found.error.split('\n') : [])];
      const [error = ''] = found.error.split('\n');
      const cause = lines
        .map((line) => matched(line, /^(?:\s{0,20}\[cause\]|Caused by): (.{1,400})/))
        .findLast(Boolean);
      return {
        error:
          shortened(error.replace(/^\[(.{1,400})\] ?\{?$/, '$1')) + (cause ? ` (caused by ${shortened(cause)})` : ''),
        place: placeIn(lines),
        lines,
        before: output.slice(Math.max(0, from - maxLinesBefore), from),
      };
    }
  return undefined;
}

const shortened = (text: string): string => {
  const line = text.trim().replace(/ \{$/, '');
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
};
