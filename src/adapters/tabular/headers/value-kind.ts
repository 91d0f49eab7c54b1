/** What a cell's text looks like; `text` is all that is nothing else. */
export type ValueKind = 'blank' | 'number' | 'date' | 'phone' | 'email' | 'link' | 'text';

const patterns: readonly [ValueKind, RegExp][] = [
  ['email', /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/],
  ['link', /^(https?:\/\/|www\.)\S+$/i],
  ['date', /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ]\d.*)?$/],
  ['phone', /^\+?1?[\s.-]?\(?\d{3}\)?[\s.-]{1,2}\d{3}[\s.-]\d{4}(\s*(x|ext\.?)\s*\d+)?$/i],
  ['number', /^[-+]?[$€£]?\d[\d.,]*%?$/],
];

export function kindOf(cell: string): ValueKind {
  const text = cell.trim();
  if (text === '') return 'blank';
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}
