import { type Hex, hexOf } from './colour.ts';

/** Custom properties by name, values as written. */
export type Variables = ReadonlyMap<string, string>;

/** Longer values name no colours, and chains of variables that double at each step would not end in sensible time. */
const longest = 2_000;
/** Each that leads to another needs some of the stack. */
const deepest = 40;
const notations =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|(?<![\w-])[a-z]+(?![\w(-])/gi;

/** What was resolved of a page's variables: each is looked at once, however often it is used. */
const known = new WeakMap<Variables, Map<string, string | undefined>>();

/** A value with each `var()` replaced by what it stands for; what stands for nothing, or for itself, is left out. */
export function resolved(value: string, variables: Variables, depth = 0): string {
  let rest = value.slice(0, longest);
  let out = '';
  for (;;) {
    const start = rest.search(/\bvar\(/i);
    if (start < 0) return (out + rest).slice(0, longest);
    const open = start + 3;
    const close = closing(rest, open);
    const [name, fallback] = split(rest.slice(open + 1, close));
    out = (out + rest.slice(0, start) + (standsFor(name.trim(), variables, depth) ?? '')).slice(0, longest);
    rest = rest.slice(close + 1);
    // Seen again as what comes next, so that fallbacks in fallbacks need no stack.
    if (!variables.has(name.trim()) && fallback !== undefined) rest = fallback + rest;
  }
}

function standsFor(name: string, variables: Variables, depth: number): string | undefined {
  const values = known.get(variables) ?? new Map<string, string | undefined>();
  known.set(variables, values);
  if (values.has(name)) return values.get(name);
  // While it is looked at it stands for nothing: one that names itself ends here.
  values.set(name, undefined);
  const written = variables.get(name);
  const value = written === undefined || depth >= deepest ? undefined : resolved(written, variables, depth + 1);
  values.set(name, value);
  return value;
}

/** The colours in a value without `var()`, in order. Addresses of pictures are no colours. */
export function coloursIn(value: string): Hex[] {
  const bare = value.replace(/url\((?:"[^"]*"|'[^']*'|[^)]*)\)/gi, ' ');
  return [...bare.matchAll(notations)].flatMap(([text]) => hexOf(text.toLowerCase()) ?? []);
}

/**
 * The colour a custom property stands for. Some hold the parts alone, for `hsl(var(--x))` or `rgb(var(--x))`.
 */
export function colourOfVariable(value: string): Hex | undefined {
  const text = value.trim();
  const whole = hexOf(text);
  if (whole) return whole;
  if (/^[\d.]+(deg)?[\s,]+[\d.]+%[\s,]+[\d.]+%$/.test(text)) return hexOf(`hsl(${text.split(/[\s,]+/).join(' ')})`);
  if (/^\d{1,3}[\s,]+\d{1,3}[\s,]+\d{1,3}$/.test(text)) return hexOf(`rgb(${text.split(/[\s,]+/).join(' ')})`);
  return undefined;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Name and fallback, which may have commas of its own. */
function split(inside: string): [string, string | undefined] {
  const comma = inside.indexOf(',');
  return comma < 0 ? [inside, undefined] : [inside.slice(0, comma), inside.slice(comma + 1)];
}
