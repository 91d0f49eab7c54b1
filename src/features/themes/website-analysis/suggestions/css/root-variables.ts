import type { StyleRule } from './declarations.ts';
import type { Variables } from './values.ts';

/**
 * The custom properties of the whole page in the theme that is shown, later ones before earlier. One that only parts of the page set (a class of
 * the body, often) stands for the whole, too: which parts stand inside of which is not known.
 */
export function rootVariables(rules: readonly StyleRule[]): Variables {
  const variables = new Map<string, string>();
  for (const { unshown, declarations } of rules) {
    if (unshown) continue;
    for (const { property, value } of declarations) {
      if (property.startsWith('--') && !variables.has(property)) variables.set(property, value);
    }
  }
  for (const { unshown, selectors, declarations } of rules) {
    if (unshown || !selectors.some(({ root, passing }) => root && !passing)) continue;
    for (const { property, value } of declarations) if (property.startsWith('--')) variables.set(property, value);
  }
  return variables;
}
