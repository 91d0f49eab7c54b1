import { type CssNode, generate, parse, type Rule, type Selector } from 'css-tree';
import type { Stylesheet } from '../../../../../adapters/website/website.ts';
import { messageOf } from '../../../../../lib/errors.ts';
import { readSelector, type SimpleSelector } from './selector.ts';

/** One rule's declarations about colours, and the selectors it counts for. */
export interface StyleRule {
  selectors: SimpleSelector[];
  /** Property, value as written, in order; custom properties among them. */
  declarations: { property: string; value: string; important: boolean }[];
  /** It counts alone in the theme, light or dark, that the page is not shown in. */
  unshown: boolean;
}

/** More add nothing new, and each costs time. */
const maxRules = 30_000;
/** Nested lists of selectors multiply. */
const maxSelectors = 200;
const colouring =
  /^(--.+|color|background(-color|-image)?|border(-(top|right|bottom|left|block|inline)(-start|-end)?)?(-color)?|fill|stroke|text-decoration-color)$/;

/**
 * The rules of style sheets in which colours are set, for screens. What is not CSS is passed over, as browsers do.
 * @param shown the theme that the page itself says it is shown in
 */
export function styleRules(sheets: readonly Stylesheet[], shown: Around['shown'] = 'light'): StyleRule[] {
  const rules: StyleRule[] = [];
  for (const { text, media } of sheets) {
    const where = mediumOf(media);
    if (where === 'elsewhere') continue;
    collect(nodesOf(text, 'stylesheet'), { shown, unshown: where === 'dark', parents: [] }, rules);
  }
  return rules;
}

/** The rules or declarations of a text. One that is nested deeper than the stack reaches has none. */
function nodesOf(text: string, context: 'stylesheet' | 'declarationList'): CssNode[] {
  try {
    const root = parse(text, { context, parseValue: false, parseCustomProperty: false, onParseError() {} });
    return root.type === 'StyleSheet' || root.type === 'DeclarationList' ? [...root.children] : [];
  } catch (error) {
    if (/call stack/i.test(messageOf(error))) return [];
    throw error;
  }
}

interface Around {
  shown: 'light' | 'dark';
  unshown: boolean;
  /** Selectors of the rule around, where there is one. */
  parents: readonly SimpleSelector[];
}

/** A `style` attribute's declarations. */
export const inlineDeclarations = (style: string): StyleRule['declarations'] =>
  style === '' ? [] : declarationsIn(nodesOf(style, 'declarationList'));

function collect(nodes: readonly CssNode[], around: Around, rules: StyleRule[]): void {
  for (const node of nodes) {
    if (rules.length >= maxRules) return;
    if (node.type === 'Rule') collectRule(node, around, rules);
    if (node.type !== 'Atrule' || !node.block) continue;
    const where = node.name === 'media' && node.prelude ? mediumOf(generate(node.prelude)) : 'here';
    // What is inside @keyframes or @font-face is no rule for elements.
    if (where === 'elsewhere' || !['media', 'supports', 'layer', 'container', 'scope'].includes(node.name)) continue;
    collect([...node.block.children], { ...around, unshown: around.unshown || where === 'dark' }, rules);
  }
}

function collectRule(node: Rule, { shown, unshown, parents }: Around, rules: StyleRule[]): void {
  if (node.prelude.type !== 'SelectorList') return;
  const written = [...node.prelude.children].filter((one): one is Selector => one.type === 'Selector');
  const selectors =
    parents.length === 0
      ? written.map((one) => readSelector(one, { shown }))
      : parents.flatMap((parent) => written.map((one) => readSelector(one, { shown, parent }))).slice(0, maxSelectors);
  const inside = [...node.block.children];
  const declarations = declarationsIn(inside);
  for (const apart of declarations.length > 0 ? [false, true] : []) {
    const some = selectors.filter((one) => (unshown || one.unshown) === apart);
    if (some.length > 0) rules.push({ selectors: some, declarations, unshown: apart });
  }
  collect(
    inside.filter(({ type }) => type === 'Rule' || type === 'Atrule'),
    { shown, unshown, parents: selectors },
    rules,
  );
}

function declarationsIn(nodes: readonly CssNode[]): StyleRule['declarations'] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Declaration' || !colouring.test(node.property.toLowerCase())) return [];
    const property = node.property.startsWith('--') ? node.property : node.property.toLowerCase();
    return [{ property, value: generate(node.value).trim(), important: Boolean(node.important) }];
  });
}

type Medium = 'here' | 'dark' | 'elsewhere';

/** Whether a rule with a list of media queries counts on a usual screen, always or in dark mode. */
function mediumOf(queries: string | null): Medium {
  if (!queries) return 'here';
  const media = queries.split(',').map(mediumOfOne);
  return (['here', 'dark'] as const).find((one) => media.includes(one)) ?? 'elsewhere';
}

function mediumOfOne(query: string): Medium {
  if (/prefers-color-scheme:\s*dark/i.test(query)) return 'dark';
  if (/^\s*(only\s+)?(print|speech)\b/i.test(query)) return 'elsewhere';
  if (/forced-colors:\s*active|prefers-contrast|-ms-high-contrast|inverted-colors/i.test(query)) return 'elsewhere';
  const [, number, unit] = /(?:max(?:-device)?-width\s*:|width\s*<=?)\s*([\d.]+)(px|r?em)/i.exec(query) ?? [];
  const narrow = Number(number) * (unit?.toLowerCase() === 'px' ? 1 : 16) < usualWidth;
  return narrow && !/^\s*not\b/i.test(query) ? 'elsewhere' : 'here';
}

/** CSS pixels, as in the screenshot. What is for phones alone may be coloured otherwise. */
const usualWidth = 1280;
