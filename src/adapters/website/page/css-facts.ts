import { string, tokenize, tokenTypes, url as urlToken } from 'css-tree';

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
const { AtKeyword, String: Quoted, Url, Function: Call, WhiteSpace, Comment, Semicolon, LeftCurlyBracket } = tokenTypes;

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
  'serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji fangsong inherit initial unset revert revert-layer none normal blinkmacsystemfont'.split(
    ' ',
  ),
);

/** Names of the font families in a stylesheet's `font-family` declarations, in order, without generic ones. */
export function fontsOf(css: string): string[] {
  const names = new Set<string>();
  // Most declarations repeat a few values.
  const values = new Set([...css.matchAll(/font-family\s{0,9}:([^;{}]{1,500})/gi)].map(([, value = '']) => value));
  for (const part of [...values].slice(0, maxValues).flatMap((value) => value.split(','))) {
    // In var(--font, "Inter") the fallback is a name.
    const name = part.replace(/!important|["')]/gi, '').trim();
    if (/^[\p{L}\d_][\p{L}\d _.&+-]{0,99}$/u.test(name) && !generic.has(name.toLowerCase())) names.add(name);
  }
  return [...names].slice(0, max);
}
