export const levels = ['error', 'warning'] as const;
export type Level = (typeof levels)[number];

/** As loggers, web servers and run-time errors write it; the dashboard marks lines by the same patterns. */
const errors = [
  /\b(?:ERROR|FATAL|CRITICAL|EMERG|PANIC)\b/,
  /\[(?:error|crit|alert|emerg|fatal)\]/i,
  /(?:^|\s)(?:\w*Error|\w*Exception|error|fatal)(?: \[\w+\])?:/,
  /\b(?:Uncaught|Unhandled|Traceback)\b/,
  /"level":\s*(?:"(?:error|fatal|critical)"|[56]0\b)/i,
  /" 5\d\d (?:\d|-)/,
];
const warnings = [/\bWARN(?:ING)?\b/, /\[warn(?:ing)?\]/i, /(?:^|\s)warning:/i, /"level":\s*(?:"warn(?:ing)?"|40\b)/i];
/** A stack trace and the like belong to the line before them. */
const continues = /^(?:\s+\S|Caused by:)/;

/** Finds the places where a line of a level (or a worse one) can be, fast; each is then looked at. */
export const candidates: Readonly<Record<Level, RegExp>> = {
  error:
    /error|exception|fatal|critical|emerg|panic|\[crit\]|\[alert\]|uncaught|unhandled|traceback|"level":\s*[56]0|" 5\d\d /gi,
  warning:
    /warn|"level":\s*[456]0|error|exception|fatal|critical|emerg|panic|\[crit\]|\[alert\]|uncaught|unhandled|traceback|" 5\d\d /gi,
};

/** A line's own level. */
export function levelOf(message: string): Level | undefined {
  if (errors.some((pattern) => pattern.test(message))) return 'error';
  return warnings.some((pattern) => pattern.test(message)) ? 'warning' : undefined;
}

export const continuesBefore = (message: string): boolean => continues.test(message);

/** Whether a line of a level is wanted: warnings include errors. */
export const isWanted = (wanted: Level, level: Level | undefined): boolean =>
  level !== undefined && (wanted === 'warning' || level === wanted);
