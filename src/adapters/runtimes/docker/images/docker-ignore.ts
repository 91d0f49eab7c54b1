import { matches, type Pattern, parsePattern } from './ignore-pattern.ts';

/**
 * Which files of a checkout go into an image's build, by `.dockerignore`, with the engine's own rules (moby's
 * patternmatcher): the last pattern that matches decides, a pattern also matches all below it, `!` takes back, `*` and `?`
 * stop at `/`, `**` does not. The package that dockerode brings for this is not made for the walk of an archive.
 */
export type IgnoreRules = readonly { pattern: Pattern; ignored: boolean }[];

/** Reads a `.dockerignore`. @throws Error for a pattern that can't be read */
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

/** Whether a file or directory is left out; `path` is relative to the context, with `/`. */
export function isIgnored(rules: IgnoreRules, path: string): boolean {
  return rules.reduce((ignored, rule) => (matches(rule.pattern, path) ? rule.ignored : ignored), false);
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
