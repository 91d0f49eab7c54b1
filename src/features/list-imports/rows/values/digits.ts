/**
 * The number that a text's digits (0 to 9) from `start` to before `end` make; NaN where anything else, or nothing, stands there.
 * For the usual ways of writing, which so take no regular expression.
 */
export function numberIn(text: string, start: number, end: number): number {
  if (start >= end) return Number.NaN;
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    // Of what lies behind the text's end it is NaN.
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}
