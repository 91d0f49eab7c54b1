import { isShownDark } from '../dark-name.ts';
import type { PageElement } from '../website.ts';

export type Attributes = Readonly<Record<string, string>>;

/** The landmark of an element. */
export interface Place {
  within: PageElement['within'];
}

const max = 600;
/** Per role, so that a page of links leaves room for its buttons. */
const maxPerRole = 150;
const maxClassCharacters = 60;
const maxClasses = 40;
const maxStyleCharacters = 2_000;

/** Presentational attributes, and their CSS properties. */
const colourAttributes: readonly (readonly [string, string])[] = [
  ['bgcolor', 'background-color'],
  ['color', 'color'],
  ['text', 'color'],
];

/** Collects the elements that show a brand's colours, while the page is parsed. */
export function createElementNotes() {
  const found: PageElement[] = [];
  const counts = new Map<PageElement['role'], number>();
  let dark = false;
  const landmarks: { role: NonNullable<Place['within']>; depth: number }[] = [];

  return {
    /** @returns the element's landmark: a landmark is its own */
    open(tag: string, attributes: Attributes, depth: number): Place {
      if (tag === 'html' || tag === 'body') dark ||= isShownDark(classesOf(attributes), attributes);
      const landmark = landmarkOf(tag, attributes);
      if (landmark) landmarks.push({ role: landmark, depth });
      const within = landmarks.at(-1)?.role ?? null;
      const style = styleOf(attributes);
      const role =
        landmark ?? roleOf(tag, attributes) ?? (worthNoting(attributes, style, within) ? 'other' : undefined);
      const count = role === undefined ? 0 : (counts.get(role) ?? 0);
      if (role !== undefined && count < maxPerRole && found.length < max) {
        counts.set(role, count + 1);
        found.push({
          role,
          tag,
          id: attributes.id?.slice(0, maxClassCharacters) || null,
          classes: classesOf(attributes),
          style,
          within,
        });
      }
      return { within };
    },
    close(depth: number): void {
      if (landmarks.at(-1)?.depth === depth) landmarks.pop();
    },
    done: () => ({ elements: found, dark }),
  };
}

export function classesOf(attributes: Attributes): string[] {
  const names = (attributes.class ?? '').slice(0, maxClassCharacters * maxClasses).split(/\s+/);
  return names.filter((name) => name && name.length <= maxClassCharacters).slice(0, maxClasses);
}

/** Words in an element's id and classes: `site-header__inner` has `site`, `header`, `inner`. */
export function wordsOf(attributes: Attributes): Set<string> {
  const names = `${attributes.id?.slice(0, maxClassCharacters) ?? ''} ${classesOf(attributes).join(' ')}`;
  return new Set(
    names
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[\s_-]+/),
  );
}

function landmarkOf(tag: string, attributes: Attributes): Place['within'] {
  if (tag === 'header' || attributes.role === 'banner') return 'header';
  if (tag === 'nav' || attributes.role === 'navigation') return 'nav';
  if (tag === 'footer' || attributes.role === 'contentinfo') return 'footer';
  if (tag === 'main' || attributes.role === 'main') return 'main';
  if (tag !== 'div' && tag !== 'section' && tag !== 'table' && tag !== 'td') return null;
  const words = wordsOf(attributes);
  const has = (...names: string[]): boolean => names.some((name) => words.has(name));
  if (has('hero', 'jumbotron', 'masthead', 'billboard')) return 'hero';
  if (has('header', 'topbar')) return 'header';
  if (has('nav', 'navbar', 'menubar', 'navigation')) return 'nav';
  return has('footer') ? 'footer' : null;
}

function roleOf(tag: string, attributes: Attributes): PageElement['role'] | undefined {
  if (tag === 'body') return 'body';
  const pressed = tag === 'input' && /^(submit|button)$/i.test(attributes.type ?? '');
  if (tag === 'button' || pressed || attributes.role === 'button') return 'button';
  const words = wordsOf(attributes);
  if (words.has('btn') || words.has('button') || words.has('cta')) return 'button';
  if (tag === 'a') return 'link';
  return /^h[1-3]$/.test(tag) ? 'heading' : undefined;
}

/** Has its own style, or (utility classes) by its classes where a brand shows its colours. */
function worthNoting(attributes: Attributes, style: string | null, within: Place['within']): boolean {
  return style !== null || (Boolean(attributes.class) && within !== null && within !== 'main');
}

function styleOf(attributes: Attributes): string | null {
  const declarations = colourAttributes.flatMap(([attribute, property]) => {
    const value = attributes[attribute];
    return value && /^[#\w(),.%\s]{3,60}$/.test(value) ? [`${property}: ${value}`] : [];
  });
  const own = attributes.style?.slice(0, maxStyleCharacters).trim();
  return [...declarations, ...(own ? [own] : [])].join('; ') || null;
}
