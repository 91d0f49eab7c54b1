interface EnvText {
  /** In order; for a repeated name, the last entry. */
  entries: Map<string, string>;
  /** Line numbers, from 1, of lines that are no entries. */
  skipped: number[];
}

const start = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=[^\S\n]*/;

/**
 * Reads the text of a `.env` file: comments, `export`, quoted values over several lines, `\n` within double quotes; what
 * follows a `#` outside of quotes is a comment, as Node has it.
 */
export function readEnvText(text: string): EnvText {
  const entries = new Map<string, string>();
  const skipped: number[] = [];
  const lines = text.replaceAll(/\r\n?/g, '\n').split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const [head, name] = start.exec(line) ?? [];
    if (head === undefined || name === undefined) {
      skipped.push(index + 1);
      continue;
    }
    const quoted = quotedValue(lines, index, head.length);
    entries.delete(name);
    entries.set(name, quoted ? quoted.value : bareValue(line.slice(head.length)));
    if (quoted) index = quoted.lastLine;
  }
  return { entries, skipped };
}

const bareValue = (text: string): string => text.replace(/#.*/s, '').trim();

/** A quoted value that ends on this or a later line; undefined if the quotes are not closed. */
function quotedValue(
  lines: readonly string[],
  line: number,
  column: number,
): { value: string; lastLine: number } | undefined {
  const quote = lines[line]?.[column] ?? '';
  if (!/^["'`]$/.test(quote)) return undefined;
  const rest = [lines[line]?.slice(column + 1) ?? '', ...lines.slice(line + 1)].join('\n');
  const end = rest.indexOf(quote);
  if (end === -1) return undefined;
  const inside = rest.slice(0, end);
  const value = quote === '"' ? inside.replaceAll('\\n', '\n') : inside;
  return { value, lastLine: line + inside.split('\n').length - 1 };
}
