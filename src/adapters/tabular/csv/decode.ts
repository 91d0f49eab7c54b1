import type { TextEncoding } from '../table.ts';

/** A decoder of text that comes in chunks. */
export interface ChunkDecoder {
  write(bytes: Uint8Array): string;
  end(): string;
}

/** Decodes chunks of a text; a byte order mark at its beginning is dropped, what is no character becomes U+FFFD. */
export function decoderOf(encoding: TextEncoding): ChunkDecoder {
  if (encoding === 'windows-1252') return { write: windows1252, end: () => '' };
  const decoder = new TextDecoder(encoding);
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
}

/** 0x80 to 0x9F of Windows-1252, as the WHATWG Encoding standard has them; all others are Latin-1's. */
const upper =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178';

// Own table: some releases of Node decode the label `windows-1252` as Latin-1, which turns the euro sign into a control character.
function windows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
}
