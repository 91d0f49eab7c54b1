import { type CssNode, generate, type List, type ListItem, parse, walk } from 'css-tree';

export interface CleanedStyle {
  css: string;
  /** What was left out, as a reader knows it: `@import`, `url()`. */
  removed: string[];
}

/** Functions by which a style can have something loaded. */
const loading = /(?:^|[^\w-])(?:url|src|image|image-set|-webkit-image-set|cross-fade|element|paint|expression)\s*\(/gi;
/** A reference to a part of the drawing itself. */
const inside = /url\(\s*(["']?)#[\w:.-]+\1\s*\)/gi;
/** Rules that hold declarations and load nothing. */
const harmlessRules = new Set(['media', 'supports', 'layer']);

/** Whether a value of an attribute or declaration loads nothing. An escape could spell what is looked for in another way. */
export function mayStand(value: string): boolean {
  return !value.includes('\\') && value.replaceAll(inside, ' ').search(loading) === -1;
}

/** The content of a `<style>`. */
export function cleanStyleSheet(css: string): CleanedStyle {
  return clean(css, 'stylesheet');
}

/** The content of a `style` attribute. */
export function cleanDeclarations(css: string): CleanedStyle {
  return clean(css, 'declarationList');
}

function clean(css: string, context: 'stylesheet' | 'declarationList'): CleanedStyle {
  const removed = new Set<string>();
  const tree = parse(css, { context, parseCustomProperty: false });
  const drop = (item: ListItem<CssNode>, list: List<CssNode>, name: string): void => {
    removed.add(name);
    list.remove(item);
  };
  walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode> | null) {
      if (!list) return;
      if (node.type === 'Atrule' && !harmlessRules.has(node.name.toLowerCase())) drop(item, list, `@${node.name}`);
      else if (node.type === 'Declaration' && !mayStand(generate(node))) drop(item, list, 'url()');
      // What is no rule and no declaration: the parser could not read it, and a browser may read it otherwise.
      else if (node.type === 'Raw' && !mayStand(node.value)) drop(item, list, 'url()');
    },
  });
  const written = generate(tree);
  // A declaration is looked at alone; a prelude or selector is not one.
  if (mayStand(written)) return { css: written, removed: [...removed] };
  return { css: '', removed: [...removed, 'url()'] };
}
