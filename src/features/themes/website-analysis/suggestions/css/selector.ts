import type { AttributeSelector, CssNode, Selector } from 'css-tree';
import { isDarkClass, themeNamed } from '../../../../../adapters/website/dark-name.ts';

/** What an element must be called. */
export interface Compound {
  tag: string | null;
  id: string | null;
  classes: string[];
}

/** A selector as far as it is looked at. */
export interface SimpleSelector {
  /** The element it is about. */
  subject: Compound;
  /** Those it must stand in or after. */
  around: Compound[];
  /** It is about the whole page: `:root`, `html`, `:host`, `body`, `*`, also where a light theme is named. */
  root: boolean;
  /** It counts only in a state (`:hover`) or for a part (`::before`). */
  passing: boolean;
  /** It needs something that is unknown here (attributes, `:has()`): it may or may not be about the subject. */
  unsure: boolean;
  /** By its names it is for the theme that is not shown, of a page that has a light and a dark one. */
  unshown: boolean;
  /** Ids, classes, tags: CSS's order of precedence. */
  specificity: number;
  text: string;
}

const states = new Set([
  'hover',
  'focus',
  'active',
  'visited',
  'focus-visible',
  'focus-within',
  'disabled',
  'checked',
  'target',
]);
const ordinary = new Set(['link', 'any-link', 'not', 'where', 'is', 'first-child', 'last-child', 'enabled']);

/** The position of a selector. */
interface Setting {
  /** The theme that the page is shown in. */
  shown: 'light' | 'dark';
  /** The selector of the rule around a nested one. */
  parent?: SimpleSelector;
}

export function readSelector(selector: Selector, { shown, parent }: Setting): SimpleSelector {
  const { nested, compounds, found } = beginning(selector, parent);
  for (const node of selector.children) {
    const last = compounds.at(-1) as Compound;
    if (node.type === 'NestingSelector') continue;
    if (node.type === 'Combinator') compounds.push({ tag: null, id: null, classes: [] });
    else readPart(node, last, found, shown);
  }
  // `& a` and `a` are about what is inside, `&.b` about the element itself.
  if (nested === 'inside') compounds.splice(0, 0, ...(parent ? [...parent.around, parent.subject] : []));
  const subject = compounds.at(-1) as Compound;
  const { tag, id, classes } = subject;
  const bare = id === null && classes.length === 0;
  const root = compounds.length === 1 && bare && (found.root || tag === 'html' || tag === 'body' || tag === '*');
  return { subject, around: compounds.slice(0, -1), ...found, root, text: textOf(compounds) };
}

function beginning(selector: Selector, parent: SimpleSelector | undefined) {
  const found = { root: false, passing: false, unsure: false, unshown: false, specificity: 0 };
  if (!parent) return { nested: 'no', compounds: [{ tag: null, id: null, classes: [] }] as Compound[], found };
  const { passing, unsure, unshown, specificity } = parent;
  const inherited = { ...found, passing, unsure, unshown, specificity };
  const [first, second] = [...selector.children];
  if (first?.type !== 'NestingSelector' || second?.type === 'Combinator') {
    const pending =
      first?.type === 'NestingSelector' || first?.type === 'Combinator' ? [] : [{ tag: null, id: null, classes: [] }];
    return { nested: 'inside', compounds: pending as Compound[], found: inherited };
  }
  const own = { ...parent.subject, classes: [...parent.subject.classes] };
  return { nested: 'itself', compounds: [...parent.around, own], found: { ...inherited, root: parent.root } };
}

type Found = Omit<SimpleSelector, 'subject' | 'around' | 'text'>;

function readPart(node: CssNode, compound: Compound, found: Found, shown: Setting['shown']): void {
  switch (node.type) {
    case 'TypeSelector':
      compound.tag = node.name === '*' ? '*' : node.name.toLowerCase();
      found.specificity += 1;
      break;
    case 'ClassSelector': {
      // Class names come with their escapes (`hover\:bg-x`).
      const name = node.name.replaceAll('\\', '');
      if (isDarkClass(name)) readTheme('dark', found, shown);
      // The page itself has it.
      if (!isDarkClass(name) || shown === 'light') compound.classes.push(name);
      found.specificity += 100;
      break;
    }
    case 'IdSelector':
      compound.id = node.name;
      found.specificity += 10_000;
      break;
    case 'PseudoElementSelector':
      found.passing = true;
      break;
    case 'PseudoClassSelector':
      if (node.name === 'root' || node.name === 'host') found.root = true;
      else if (states.has(node.name)) found.passing = true;
      else if (!ordinary.has(node.name) || node.name === 'is' || node.name === 'where') found.unsure = true;
      found.specificity += 100;
      break;
    case 'AttributeSelector':
      readAttribute(node, compound, found, shown);
      found.specificity += 100;
      break;
    default:
      found.unsure = true;
  }
}

/** Of attributes little is known: what makes a button one, and the names of themes. */
function readAttribute(
  { name, value }: AttributeSelector,
  { tag }: Compound,
  found: Found,
  shown: Setting['shown'],
): void {
  const text = value === null ? '' : value.type === 'String' ? value.value : value.name;
  const theme = themeNamed(name.name, text);
  if (theme) readTheme(theme, found, shown);
  else if (!(tag === 'a' && name.name === 'href') && !/^(submit|button)$/i.test(text)) found.unsure = true;
}

function readTheme(theme: 'light' | 'dark', found: Found, shown: Setting['shown']): void {
  if (theme === shown) found.root = true;
  else found.unshown = true;
}

const textOf = (compounds: readonly Compound[]): string =>
  compounds
    .map(({ tag, id, classes }) => `${tag ?? ''}${id ? `#${id}` : ''}${classes.map((name) => `.${name}`).join('')}`)
    .join(' ');
