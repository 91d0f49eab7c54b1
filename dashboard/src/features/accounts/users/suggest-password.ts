/** Without letters and digits that look alike: a password may be read out or written on paper. 31 of them. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 4;

/** A random password such as `k7mq-x2ve-…`, of some 79 bits. */
export function suggestPassword(): string {
  const letters: string[] = [];
  while (letters.length < groups * groupLength) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    // Rejects values that would bias the first letters.
    const letter = byte < 256 - (256 % alphabet.length) ? alphabet[byte % alphabet.length] : undefined;
    if (letter) letters.push(letter);
  }
  return Array.from({ length: groups }, (_, group) =>
    letters.slice(group * groupLength, (group + 1) * groupLength).join(''),
  ).join('-');
}
