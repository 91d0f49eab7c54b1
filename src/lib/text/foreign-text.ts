/** Control, format (bidirectional, zero-width), line and paragraph separator characters, and halves of others. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const unseenButLines = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const terminalSequences = /\u001b(?:\[[0-?]{0,50}[ -/]{0,9}[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)?)/g;

/** A name or another line that people write: nothing in it is unseen, or changes how the rest is seen. */
export const oneLine = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u;

/** Text of a program or a service for a message, on one line: without what steers a terminal or changes how text is seen. */
export const foreignLine = (text: string): string =>
  text
    .replaceAll(terminalSequences, '')
    .replaceAll(/[\t\n\r\u2028\u2029]+/g, ' ')
    .replaceAll(unseen, '')
    .trim();

/** Such text with its lines and tabs. */
export const foreignText = (text: string): string =>
  text
    .replaceAll(terminalSequences, '')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(unseenButLines, '');

/** The beginning of what a page says, on one line: without its markup, styles and scripts. */
export function foreignPage(page: string, maxLength: number): string {
  const [first = '', ...others] = page.split(/<(?:style|script)\b/i);
  const shown = [first, ...others.map((part) => part.slice(part.indexOf('</')))].join(' ');
  const text = foreignLine(shown.replaceAll(/<[^<>]{0,1000}>/g, ' ')).replaceAll(/ +/g, ' ');
  return text.trim().slice(0, maxLength);
}
