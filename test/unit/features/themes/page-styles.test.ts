import { describe, expect, test } from '@jest/globals';
import { selectAll } from 'css-select';
import type { Element } from 'domhandler';
import { parsePage } from '../../../../src/adapters/website/page/document.ts';
import { stylesOf } from '../../../../src/features/themes/website-analysis/suggestions/page-styles.ts';

/** The ids of the elements of a page to which a rule with this selector applies. */
function matched(html: string, selector: string): (string | undefined)[] {
  const { elements } = stylesOf({ html, stylesheets: [{ text: `${selector}{color:red}`, media: null, url: null }] });
  return elements.filter(({ style }) => style.length > 0).map(({ element }) => element.attribs.id);
}

const row = '<b class="x" id="1"></b><i class="a" id="2"></i><i class="a" id="3"></i><i class="a" id="4"></i>';

describe('selectors that cost too much time', () => {
  test.each([
    '.x ~ .a ~ .a ~ .a',
    '.x + .a + .a + .a',
    ':is(.x ~ .a ~ .a) ~ .a',
    '.a:not(.x ~ .b ~ .b ~ .b)',
    'body:has(.x ~ .a ~ .a ~ .a)',
    ':where(:is(.x ~ .a ~ .a ~ .a))',
  ])('%s is passed over', (selector) => {
    expect(matched(row, selector)).toEqual([]);
    expect(matched(row, `${selector}, .x`)).toEqual(['1']);
  });

  test('one with two sibling combinators counts', () => {
    expect(matched(row, '.x ~ .a ~ .a')).toEqual(['3', '4']);
    expect(matched(row, ':is(.x + .a) + .a')).toEqual(['3']);
  });

  test.each([`.x${' .a'.repeat(9)}`, `:is(.x${' .a'.repeat(9)})`, `.x${' .a > .a'.repeat(9)}`])(
    '%s ends on a page that is nested as deeply as possible',
    (selector) => {
      const deep = (outermost: string): string =>
        `<div class="${outermost}">${'<div class="a">'.repeat(400)}<a class="a" id="inside">`;
      expect(matched(deep('y'), selector)).toEqual([]);
      expect(matched(deep('x'), selector)).toContain('inside');
    },
  );
});

test('applies selectors with several combinators to the elements that css-select finds', () => {
  let state = 1;
  const below = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  let id = 0;
  const branch = (depth: number): string =>
    Array.from({ length: 1 + below(3) }, () => {
      id += 1;
      return `<div id="${id}" class="${'abc'[below(3)]}">${depth > 0 ? branch(depth - 1) : ''}</div>`;
    }).join('');
  const html = `<body>${branch(5)}</body>`;
  const { document } = parsePage(html);
  const compound = (): string =>
    ['.a', '.b', '.c', 'div', ':is(.a .b, .c > .b .a)', '.a:not(.b .c .a)'][below(6)] ?? '';
  const combinator = (): string => [' ', ' ', ' ', ' > '][below(4)] ?? '';
  let found = 0;
  for (let n = 0; n < 150; n += 1) {
    const selector = Array.from({ length: 3 + below(3) }, compound).reduce(
      (left, right) => left + combinator() + right,
    );
    const expected = selectAll<Element, Element>(selector, document as unknown as Element).map(
      ({ attribs }) => attribs.id,
    );
    found += expected.length;
    expect([selector, matched(html, selector)]).toEqual([selector, expected.slice(0, 150)]);
  }
  expect(found).toBeGreaterThan(100);
});
