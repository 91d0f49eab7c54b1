const longest = 40;
const mostWords = 4;
const whole = /^\p{L}[\p{L}\p{N} &'’,+-]*$/u;

/**
 * A name as it may be shown, of what a model gave: few words of letters, no address, no sentence. Undefined: nothing of the kind.
 */
export function shortName(text: string): string | undefined {
  const name = text.normalize('NFC').replace(/\s+/g, ' ').trim();
  const words = name.split(' ');
  if (name.length > longest || words.length > mostWords || !whole.test(name)) return undefined;
  return words.some((word) => /^(www|https?)/i.test(word)) ? undefined : name;
}
