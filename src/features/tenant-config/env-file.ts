import { isDeepStrictEqual, parseEnv } from 'node:util';

export interface RenderedEnvFile {
  content: string;
  /** Entries whose value the format cannot represent; a comment replaces them. */
  omitted: string[];
}

const heading =
  '# Managed by Tenantry. Manual changes will be overwritten. Set custom_env in the configuration instead.';
/** Follows a candidate when it is tested: an unclosed quote would change how these lines are parsed. */
const sentinel = 'ZZ_SINGLE=\'1\'\nZZ_DOUBLE="1"\nZZ_BACKTICK=`1`\n';
const parsedSentinel = parseEnv(sentinel);

/**
 * Renders an environment as a dotenv file. Each value is written in the first form that Node's parser reads back unchanged:
 * plain if it has no special characters, else in single quotes, backticks or double quotes, else bare. A value without such a
 * form (with a carriage return, or with a line break and all three quotes) is omitted rather than written wrongly.
 */
export function renderEnvFile(environment: Readonly<Record<string, string>>): RenderedEnvFile {
  const omitted: string[] = [];
  const lines = Object.entries(environment).map(([key, value]) => {
    const form = formsOf(value).find((candidate) => readsBack(candidate, value));
    if (form !== undefined) return `${key}=${form}`;
    omitted.push(key);
    return `# ${key}: this format cannot represent the value; the services still get it`;
  });
  return { content: `${[heading, ...lines].join('\n')}\n`, omitted };
}

function formsOf(value: string): string[] {
  const plain = /^[\w./:@+,%=-]*$/.test(value) ? [value] : [];
  // Other parsers read a backslash before a quote as an escape, and `\n` in double quotes as a line break.
  const quoted = ["'", '`', '"']
    .filter((quote) => !value.includes(quote) && !value.endsWith('\\') && (quote !== '"' || !value.includes('\\')))
    .map((quote) => `${quote}${value}${quote}`);
  // The parser would look for the end of a leading quote in the following lines.
  const bare = /^['"`]|[\n\r$#]/.test(value) ? [] : [value];
  return [...plain, ...quoted, ...bare];
}

function readsBack(form: string, value: string): boolean {
  const read = parseEnv(`ZZ_VALUE=${form}\n${sentinel}`);
  return isDeepStrictEqual({ ...read }, { ...parsedSentinel, ZZ_VALUE: value });
}
