import { isDeepStrictEqual, parseEnv } from 'node:util';

export interface RenderedEnvFile {
  content: string;
  /** Entries whose value the format cannot hold; a comment stands in their place. */
  omitted: string[];
}

const heading = '# Written by Tenantry: changes made here are lost. Set custom_env in the configuration instead.';
/** Follows a candidate in its trial: a quote left open would reach into it. */
const sentinel = 'ZZ_SINGLE=\'1\'\nZZ_DOUBLE="1"\nZZ_BACKTICK=`1`\n';
const untouched = parseEnv(sentinel);

/**
 * An environment as a dotenv file. Each value is written in the first form that Node's own parser reads back as it was: plain
 * where it holds nothing special, else in single quotes, backticks or double quotes, else bare. What has no such form (a
 * carriage return; a line break together with all three quotes) is left out rather than written wrongly.
 */
export function renderEnvFile(environment: Readonly<Record<string, string>>): RenderedEnvFile {
  const omitted: string[] = [];
  const lines = Object.entries(environment).map(([key, value]) => {
    const form = formsOf(value).find((candidate) => readsBack(candidate, value));
    if (form !== undefined) return `${key}=${form}`;
    omitted.push(key);
    return `# ${key}: its value cannot be written in this format; the services are given it all the same`;
  });
  return { content: `${[heading, ...lines].join('\n')}\n`, omitted };
}

function formsOf(value: string): string[] {
  const plain = /^[\w./:@+,%=-]*$/.test(value) ? [value] : [];
  // Other readers take a backslash before a quote for an escape, and `\n` within double quotes for a line break.
  const quoted = ["'", '`', '"']
    .filter((quote) => !value.includes(quote) && !value.endsWith('\\') && (quote !== '"' || !value.includes('\\')))
    .map((quote) => `${quote}${value}${quote}`);
  // A quote at the start would look for its other half in the lines that follow.
  const bare = /^['"`]|[\n\r$#]/.test(value) ? [] : [value];
  return [...plain, ...quoted, ...bare];
}

function readsBack(form: string, value: string): boolean {
  const read = parseEnv(`ZZ_VALUE=${form}\n${sentinel}`);
  return isDeepStrictEqual({ ...read }, { ...untouched, ZZ_VALUE: value });
}
