import { expect, test } from '@jest/globals';
import { foreignLine, foreignText, oneLine } from '../../../../src/lib/text/foreign-text.ts';

/** Colours, a window title, a bell, NUL, directions, zero width, separators, half of a character. */
const hostile =
  '\u001b[31mred\u001b[0m\u001b]0;pwned\u0007 \0a\u202eb\u2066c\u200bd\ufeffe\u2028f\u2029g\ud800h\u0085i\r\nj\tk';

test('text of programs loses what steers a terminal or changes how text is seen', () => {
  expect(foreignLine(hostile)).toBe('red abcde f ghi j k');
  expect(foreignText(hostile)).toBe('red abcde\nf\nghi\nj\tk');
  expect(foreignLine('Größe ≥ 3 € – 漢字 👍')).toBe('Größe ≥ 3 € – 漢字 👍');
});

test.each(['rtl\u202eevil', 'zero\u200bwidth', 'two\u2028lines', 'nul\0', 'soft\u00adhyphen'])(
  'a line that people write must not hold %j',
  (text) => {
    expect(oneLine.test(text)).toBe(false);
    expect(oneLine.test(foreignLine(text))).toBe(true);
  },
);
