import { type CssNode, parse } from 'css-tree';
import type { Stylesheet } from '../../../../adapters/website/website.ts';
import { messageOf } from '../../../../lib/errors.ts';

interface Declaration {
  property: string;
  /** As written. */
  value: string;
  important: boolean;
}

/** One rule's declarations about colours, custom properties among them. */
export interface StyleRule {
  /** A list, nesting resolved. */
  selectors: string;
  declarations: Declaration[];
}

/** More add nothing new, and each costs time. */
const maxRules = 30_000;
/** Nested rules multiply their selectors. */
const maxSelectorCharacters = 8_000;
const colouring =
  /^(--.+|color|background(-color|-image)?|border(-(top|right|bottom|left|block|inline)(-start|-end)?)?(-color)?|fill|stroke|text-decoration-color)$/;

/** The rules in which colours are set on usual screens in light mode. What is not CSS is passed over, as browsers do. */
export function styleRules(sheets: readonly Stylesheet[]): StyleRule[] {
  const rules: StyleRule[] = [];
  for (const { text, media } of sheets) if (isShown(media ?? '')) collect(nodesOf(text, 'stylesheet'), '', rules);
  return rules;
}

/** A `style` attribute's declarations. */
export const inlineDeclarations = (style: string): Declaration[] => declarationsIn(nodesOf(style, 'declarationList'));

/** The rules or declarations of a text. One that is nested deeper than the stack reaches has none. */
function nodesOf(text: string, context: 'stylesheet' | 'declarationList'): CssNode[] {
  const raw = { parseValue: false, parseCustomProperty: false, parseRulePrelude: false, parseAtrulePrelude: false };
  try {
    const root = parse(text, { context, ...raw, onParseError() {} });
    return root.type === 'StyleSheet' || root.type === 'DeclarationList' ? [...root.children] : [];
  } catch (error) {
    if (/call stack/i.test(messageOf(error))) return [];
    throw error;
  }
}

function collect(nodes: readonly CssNode[], parent: string, rules: StyleRule[]): void {
  for (const node of nodes) {
    if (rules.length >= maxRules) return;
    if (node.type === 'Rule') {
      const own = rawText(node.prelude);
      if (own.length + own.split('&').length * parent.length > maxSelectorCharacters) continue;
      const selectors = nested(own, parent);
      const inside = [...node.block.children];
      const declarations = declarationsIn(inside);
      if (declarations.length > 0) rules.push({ selectors, declarations });
      collect(inside, selectors, rules);
    } else if (node.type === 'Atrule' && node.block) {
      // What is inside @keyframes or @font-face is no rule for elements.
      const shown =
        node.name === 'media' ? isShown(rawText(node.prelude)) : /^(supports|layer|container|scope)$/.test(node.name);
      if (shown) collect([...node.block.children], parent, rules);
    }
  }
}

const rawText = (node: CssNode | null): string => (node?.type === 'Raw' ? node.value : '');

function nested(selectors: string, parent: string): string {
  if (parent === '') return selectors;
  return selectors.includes('&') ? selectors.replaceAll('&', `:is(${parent})`) : `:is(${parent}) :is(${selectors})`;
}

function declarationsIn(nodes: readonly CssNode[]): Declaration[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'Declaration' || !colouring.test(node.property.toLowerCase())) return [];
    const property = node.property.startsWith('--') ? node.property : node.property.toLowerCase();
    return [{ property, value: rawText(node.value as CssNode).trim(), important: Boolean(node.important) }];
  });
}

/** CSS pixels, as in the screenshot. What is for phones alone may be coloured otherwise. */
const usualWidth = 1280;

/** Whether one of a list of media queries is met by a usual screen. */
const isShown = (queries: string): boolean => queries === '' || queries.split(',').some(isMet);

function isMet(query: string): boolean {
  if (
    /prefers-color-scheme:\s*dark|forced-colors:\s*active|prefers-contrast|-ms-high-contrast|inverted-colors/i.test(
      query,
    )
  )
    return false;
  if (/^\s*(only\s+)?(print|speech)\b/i.test(query)) return false;
  const [, number, unit] = /(?:max(?:-device)?-width\s*:|width\s*<=?)\s*([\d.]+)(px|r?em)/i.exec(query) ?? [];
  const narrow = Number(number) * (unit?.toLowerCase() === 'px' ? 1 : 16) < usualWidth;
  return !narrow || /^\s*not\b/i.test(query);
}
