import { ident, string, tokenize, tokenTypes, url as urlToken } from 'css-tree';

interface Import {
  href: string;
  /** The rule's condition, media and all; null if it has none. */
  media: string | null;
}

const max = 24;
/** `@import`s come first in a sheet; the search is bounded, as a sheet may be megabytes of them. */
const beginning = 64 * 1024;
const maxRules = 100;
const maxValues = 200;
const { AtKeyword, Ident, String: Quoted, Url, Function: Call, WhiteSpace, Comment, Semicolon, Comma } = tokenTypes;
const { LeftCurlyBracket } = tokenTypes;

interface Token {
  type: number;
  text: string;
}

/** Tokens without spaces and comments. Only tokens: nested text needs no stack. */
function tokensOf(css: string): Token[] {
  const tokens: Token[] = [];
  tokenize(css, (type, start, end) => {
    if (type !== WhiteSpace && type !== Comment) tokens.push({ type, text: css.slice(start, end) });
  });
  return tokens;
}

/** The sheets that a stylesheet `@import`s: only at its start, like browsers. */
export function importsOf(css: string): Import[] {
  const head = css.slice(0, beginning);
  if (!/@import/i.test(head)) return [];
  const tokens = tokensOf(head);
  const found: Import[] = [];
  let at = 0;
  for (let rules = 0; rules < maxRules && found.length < max; rules += 1) {
    const rule = tokens[at];
    if (rule?.type !== AtKeyword || !/^@(import|charset|layer|namespace)$/i.test(rule.text)) break;
    const end = tokens.findIndex(({ type }, index) => index > at && (type === Semicolon || type === LeftCurlyBracket));
    if (/^@import$/i.test(rule.text)) found.push(...importOf(tokens.slice(at + 1, end === -1 ? undefined : end)));
    // A layer with a block ends the start.
    if (tokens[end]?.type !== Semicolon) break;
    at = end + 1;
  }
  return found;
}

function importOf([first, ...rest]: Token[]): Import[] {
  if (!first) return [];
  const inCall = first.type === Call && /^url\($/i.test(first.text);
  const href =
    first.type === Quoted
      ? string.decode(first.text)
      : first.type === Url
        ? urlToken.decode(first.text)
        : inCall && rest[0]?.type === Quoted
          ? string.decode(rest[0].text)
          : undefined;
  if (!href) return [];
  const condition = (inCall ? rest.slice(2) : rest).map(({ text }) => text).join(' ');
  return [{ href, media: condition.slice(0, 500) || null }];
}

const generic = new Set(
  'serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji fangsong inherit initial unset revert revert-layer none normal -apple-system blinkmacsystemfont'.split(
    ' ',
  ),
);

/** Names of the font families in a stylesheet's `font-family` declarations, in order, without generic ones. */
export function fontsOf(css: string): string[] {
  const names = new Set<string>();
  // Most declarations repeat a few values.
  const values = new Set<string>();
  for (const [, value = ''] of css.matchAll(/font-family\s{0,9}:([^;{}]{1,500})/gi)) {
    if (values.has(value)) continue;
    values.add(value);
    for (const name of familiesOf(value)) names.add(name);
    if (names.size >= max || values.size >= maxValues) break;
  }
  return [...names];
}

function familiesOf(value: string): string[] {
  const families: string[] = [];
  let words: string[] = [];
  const take = (): void => {
    const name = words.join(' ');
    words = [];
    if (name && name.length <= 100 && !generic.has(name.toLowerCase())) families.push(name);
  };
  for (const { type, text } of tokensOf(value)) {
    if (type === Comma) take();
    else if (type === Quoted) words.push(string.decode(text));
    // In var(--font, "Inter") the fallback is a name.
    else if (type === Ident && !text.startsWith('--')) words.push(ident.decode(text));
  }
  take();
  return families;
}
