import type { Level, LogLine } from './replay-dedup.ts';

/** As loggers, web servers and run-time errors write it; `error` in running text is not enough. */
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

/** Notes the level of each line. @param last the latest level of each writer, which its next lines continue */
export function withLevels(lines: readonly LogLine[], last: Map<string, Level | undefined>): LogLine[] {
  return lines.map((line) => {
    const own = levelOf(line.text);
    const level = own ?? (continues.test(line.text) ? last.get(line.from) : undefined);
    last.set(line.from, level);
    return level ? { ...line, level } : line;
  });
}

function levelOf(text: string): Level | undefined {
  if (errors.some((pattern) => pattern.test(text))) return 'error';
  return warnings.some((pattern) => pattern.test(text)) ? 'warning' : undefined;
}
