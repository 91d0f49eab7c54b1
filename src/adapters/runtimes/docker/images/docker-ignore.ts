/**
 * A pattern of a `.dockerignore`, matched in time linear in its length and the path's: the tenant's repository wrote it, and a
 * regular expression made from it could block the manager for days.
 */
type Pattern = readonly State[];

/** A state of the pattern's automaton. */
interface State {
  /** The characters it accepts. */
  takes(character: string): boolean;
  /** It stays in this state after accepting one. */
  loops?: true;
  /** How many states it can skip without a character. */
  also?: readonly number[];
}

const maxPatternCharacters = 1_000;
const none = (): boolean => false;
const any = (): boolean => true;
const isSlash = (character: string): boolean => character === '/';
const inName = (character: string): boolean => character !== '/';

/** Parses a normalized pattern. @throws Error for one that is too long, or with an invalid set of characters (`[z-a]`) */
function parsePattern(text: string): Pattern {
  if (text.length > maxPatternCharacters) throw new Error(`a pattern has more than ${maxPatternCharacters} characters`);
  const states: State[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const rest = text.slice(at);
    const set = /^\[(\^?)((?:\\.|[^\]\\])+)\]/.exec(rest);
    if (rest.startsWith('**/')) {
      // `**/x` also matches `x`.
      states.push({ takes: none, also: [1, 3] }, { takes: any, loops: true, also: [1] }, { takes: isSlash });
      at += 2;
    } else if (rest.startsWith('**')) {
      states.push({ takes: any, loops: true, also: [1] });
      at += 1;
    } else if (rest.startsWith('*')) states.push({ takes: inName, loops: true, also: [1] });
    else if (rest.startsWith('?')) states.push({ takes: inName });
    else if (set) {
      const one = new RegExp(`^[${set[1]}${set[2]?.replaceAll('[', '\\[')}]$`, 's');
      states.push({ takes: (character) => one.test(character) });
      at += set[0].length - 1;
    } else {
      const isEscape = rest.startsWith('\\') && rest.length > 1;
      const literal = rest[isEscape ? 1 : 0];
      states.push({ takes: (character) => character === literal });
      if (isEscape) at += 1;
    }
  }
  return states;
}

/** Whether a pattern matches this path or one of its parents. */
function matches(pattern: Pattern, path: string): boolean {
  let here = new Set<number>();
  enter(pattern, 0, here);
  for (let at = 0; at < path.length; at += 1) {
    const character = path[at] ?? '';
    if (character === '/' && here.has(pattern.length)) return true;
    const next = new Set<number>();
    for (const place of here) {
      const state = pattern[place];
      if (state?.takes(character)) enter(pattern, state.loops ? place : place + 1, next);
    }
    if (next.size === 0) return false;
    here = next;
  }
  return here.has(pattern.length);
}

/** Adds a state to a set, and those reachable without a character. */
function enter(pattern: Pattern, place: number, places: Set<number>): void {
  if (places.has(place)) return;
  places.add(place);
  for (const further of pattern[place]?.also ?? []) enter(pattern, place + further, places);
}

/**
 * Which files of a checkout are in an image's build context, by `.dockerignore`, with the engine's rules (moby's
 * patternmatcher): the last matching pattern decides, a pattern also matches everything below, `!` includes again, `*` and `?`
 * stop at `/`, `**` does not. (@balena/dockerignore makes regular expressions: ten times `*a` took 18 s on 40 characters.)
 */
export type IgnoreRules = readonly { pattern: Pattern; ignored: boolean }[];

/** Parses a `.dockerignore`. @throws Error for an invalid pattern */
export function parseIgnoreFile(text: string): IgnoreRules {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const ignored = !line.trim().startsWith('!');
      const pattern = clean(line.trim().slice(ignored ? 0 : 1));
      return pattern === '' ? [] : [{ pattern: parsePattern(pattern), ignored }];
    });
}

/** Whether a file or directory is ignored; `path` is relative to the context, with `/`. */
export function isIgnored(rules: IgnoreRules, path: string): boolean {
  return rules.reduce((ignored, rule) => (matches(rule.pattern, path) ? rule.ignored : ignored), false);
}

/** Whether something below an ignored directory could be included again: only then is it visited. */
export const hasExceptions = (rules: IgnoreRules): boolean => rules.some((rule) => !rule.ignored);

/** Normalizes `./a//b/../c/` like the engine: `a/c`. */
function clean(pattern: string): string {
  const parts: string[] = [];
  for (const part of pattern.trim().split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
