/** "1. ", "Q2: ", "3) ": what counts the questions of a form. */
const counted = /^\s*(?:q(?:uestion)?\.? ?|pregunta )?\d{1,3}\s?[.):](?=[^\p{N}\p{L}]*\p{L})\s*/iu;

/** Headers without the numbers that a form sets before its questions; a number before one header alone is part of it. */
export function withoutEnumeration(headers: readonly string[]): string[] {
  const isForm = headers.filter((header) => counted.test(header)).length > 1;
  return isForm ? headers.map((header) => header.replace(counted, '')) : [...headers];
}

/** "tags[1]", "phones.0.number": what counts the entries of a record that was made flat. */
const index = /(?<=[.[/])\d{1,2}(?=$|[\].[/])/g;

/** Headers that count from 1, whatever they count from. */
export function countedFromOne(headers: readonly string[]): string[] {
  const fromZero = headers.some((header) => header.match(index)?.some((number) => Number(number) === 0));
  return headers.map((header) => (fromZero ? header.replace(index, (number) => `${Number(number) + 1}`) : header));
}
