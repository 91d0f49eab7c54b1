import { type Hex, hexOf } from './colour.ts';

/** Longer values name no colours, and chains of variables that double at each step would not end in sensible time. */
const longest = 2_000;
/** Steps from a variable to the next; one that stands for itself ends there. */
const maxSteps = 40;
const innermostVariable = /\bvar\(\s{0,9}(--[^\s(),]{1,200})\s{0,9}(?:,((?:[^()]|\([^()]{0,400}\)){0,400}))?\)/gi;

/** A value with each `var()` replaced by what `lookUp` says it stands for, or else by its fallback. */
export function resolved(value: string, lookUp: (name: string) => string | undefined): string {
  let text = value.slice(0, longest);
  for (let step = 0; step < maxSteps && /\bvar\(/i.test(text); step += 1) {
    let room = longest;
    text = text.replace(innermostVariable, (_, name: string, fallback = '') => {
      const found = lookUp(name) ?? fallback;
      room -= found.length;
      return room < 0 ? '' : found;
    });
  }
  return text;
}

const notations =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|(?<![\w-])[a-z]+(?![\w(-])/gi;

/** The colours in a value without `var()`, in order. Addresses of pictures are no colours. */
export function coloursIn(value: string): Hex[] {
  const bare = value.replace(/url\((?:"[^"]*"|'[^']*'|[^)]*)\)/gi, ' ');
  return [...bare.matchAll(notations)].flatMap(([text]) => hexOf(text.toLowerCase()) ?? []);
}

/** The colour a custom property stands for. Some hold the parts alone, for `hsl(var(--x))` or `rgb(var(--x))`. */
export function colourOfVariable(value: string): Hex | undefined {
  const text = value.trim();
  const isParts = /^[\d.]{1,9}(deg)?([\s,]+[\d.]{1,9}%?){2}$/.test(text);
  return hexOf(isParts ? `${text.includes('%') ? 'hsl' : 'rgb'}(${text.replaceAll(',', ' ')})` : text);
}
