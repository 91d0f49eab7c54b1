/**
 * Which files of a checkout go into an image's build, by `.dockerignore`, with the engine's own rules (moby's
 * patternmatcher): the last pattern that matches decides, a pattern also matches all below it, `!` takes back, `*` and `?`
 * stop at `/`, `**` does not. The package that dockerode brings for this is not made for the walk of an archive.
 */
export type IgnoreRules = readonly { matches: RegExp; ignored: boolean }[];

/** Reads a `.dockerignore`. */
export function parseIgnoreFile(text: string): IgnoreRules {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const ignored = !line.trim().startsWith('!');
      const pattern = clean(line.trim().slice(ignored ? 0 : 1));
      return pattern === '' ? [] : [{ matches: expressionFor(pattern), ignored }];
    });
}

/** Whether a file or directory is left out; `path` is relative to the context, with `/`. */
export function isIgnored(rules: IgnoreRules, path: string): boolean {
  return rules.reduce((ignored, rule) => (rule.matches.test(path) ? rule.ignored : ignored), false);
}

/** Whether something below an ignored directory could be taken back: only then is it worth looking into. */
export const hasExceptions = (rules: IgnoreRules): boolean => rules.some((rule) => !rule.ignored);

/** `./a//b/../c/` as the engine reads it: `a/c`. */
function clean(pattern: string): string {
  const parts: string[] = [];
  for (const part of pattern.trim().split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** A pattern as a regular expression that also matches everything below what it names. */
function expressionFor(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const rest = pattern.slice(at);
    const set = /^\[(\^?)((?:\\.|[^\]\\])+)\]/.exec(rest);
    if (rest.startsWith('**')) {
      // `**/x` also is `x`; a `**` at the end is everything.
      source += rest.startsWith('**/') ? '(?:.*/)?' : '.*';
      at += rest.startsWith('**/') ? 2 : 1;
    } else if (rest.startsWith('*')) source += '[^/]*';
    else if (rest.startsWith('?')) source += '[^/]';
    else if (set) {
      source += `[${set[1]}${set[2]?.replaceAll('[', '\\[')}]`;
      at += set[0].length - 1;
    } else if (rest.startsWith('\\') && rest.length > 1) {
      source += escaped(rest[1] ?? '');
      at += 1;
    } else source += escaped(rest[0] ?? '');
  }
  return new RegExp(`^${source}(?:/.*)?$`, 's');
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
