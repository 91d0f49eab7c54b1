import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { TextEncoding } from '../table.ts';

/**
 * á à â ä ã å ç é è ê in Mac Roman; in Windows-1252 signs, capitals or nothing: none of them appears between two small letters.
 */
const macLetters: ReadonlySet<number> = new Set([0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90]);
/** é, with which names end; Windows-1252’s Ž follows no small letter. */
const accentedE = 0x8e;
/** Small letters of DOS's code pages (é á í ó ú ñ), signs or capitals in Mac Roman. */
const dosLetters: ReadonlySet<number> = new Set([0x82, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4]);
/** From here on Windows-1252 has small letters only, Mac Roman signs and capitals. */
const firstOfWindows = 0xdf;

const fewest = 3;
const clearly = 10;

/**
 * Distinguishes Mac Roman, as written by spreadsheets on old Macs, from Windows-1252, by bytes that only one of them has as
 * small letters within words. ñ, í, ó and ú prove nothing: Windows-1252 has dashes, apostrophes and œ there.
 */
class MacRomanEvidence {
  #found = 0;
  #against = 0;

  /** Checks a piece of a text that is not UTF-8. */
  add(bytes: Uint8Array): void {
    for (let at = 1; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80 || !isSmall(bytes[at - 1])) continue;
      const within = isSmall(bytes[at + 1]);
      if (byte === accentedE || (within && macLetters.has(byte))) this.#found += 1;
      else if (within && (byte >= firstOfWindows || dosLetters.has(byte))) this.#against += 1;
    }
  }

  get isClear(): boolean {
    return this.#found >= fewest && this.#found > clearly * this.#against;
  }
}

/** a to z. */
const isSmall = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x61 && byte <= 0x7a;

interface FoundEncoding {
  encoding: TextEncoding;
  /** Invalid bytes in a file that is otherwise UTF-8. */
  broken: number;
}

/** Maximum bytes at the end of a chunk that may start a character. */
const maxTailBytes = 3;

/**
 * Detects a text file's encoding by all of its bytes: the first accented letter may come after 100 MB. A text that is not UTF-8
 * is Windows-1252 (a superset of Latin-1's letters), unless its accented letters are UTF-8 with few exceptions, or clearly Mac
 * Roman's.
 * @param head first bytes of the file, for UTF-16
 */
export async function findEncoding(path: string, head: Uint8Array, signal?: AbortSignal): Promise<FoundEncoding> {
  const wide = utf16Of(head);
  if (wide) return { encoding: wide, broken: 0 };
  let valid = 0;
  let broken = 0;
  const macRoman = new MacRomanEvidence();
  let tail = Buffer.alloc(0);
  const count = (bytes: Buffer): void => {
    if (isUtf8(bytes)) return;
    const found = countCharacters(bytes);
    valid += found.valid;
    broken += found.broken;
    macRoman.add(bytes);
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 64 * 1024, signal })) {
    const bytes = tail.length === 0 ? (chunk as Buffer) : Buffer.concat([tail, chunk as Buffer]);
    const cut = bytes.length - unfinished(bytes);
    tail = Buffer.from(bytes.subarray(cut));
    count(bytes.subarray(0, cut));
  }
  count(tail);
  if (broken === 0) return { encoding: 'utf-8', broken };
  // Valid characters are counted only in damaged chunks, which is enough: they are rare in Windows-1252.
  if (valid > 10 * broken) return { encoding: 'utf-8', broken };
  return { encoding: macRoman.isClear ? 'macintosh' : 'windows-1252', broken: 0 };
}

/** UTF-16 by its byte order mark, or by the zero bytes of Latin letters. */
function utf16Of(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = head.length / 2;
  if (half < 2) return undefined;
  if (odd > 0.6 * half && even < 0.02 * half) return 'utf-16le';
  if (even > 0.6 * half && odd < 0.02 * half) return 'utf-16be';
  return undefined;
}

/** How many bytes at the end belong to an incomplete character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(maxTailBytes, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthOf(byte) ? back : 0;
  }
  return 0;
}

function countCharacters(bytes: Uint8Array): { valid: number; broken: number } {
  let valid = 0;
  let broken = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    const length = lengthOf(byte);
    if (length > 1 && isUtf8(bytes.subarray(at, at + length))) {
      valid += 1;
      at += length - 1;
    } else broken += 1;
  }
  return { valid, broken };
}

/** Bytes of the UTF-8 character that starts with this byte; 1 for an invalid one. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0 && byte < 0xf8) return 4;
  if (byte >= 0xe0) return byte < 0xf0 ? 3 : 1;
  return byte >= 0xc2 ? 2 : 1;
}
