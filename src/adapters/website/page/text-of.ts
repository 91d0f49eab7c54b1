import { isUtf8 } from 'node:buffer';
import sniff from 'html-encoding-sniffer';

/**
 * The encoding of an HTML document by its byte order mark, `content-type`, `<meta>`, in this order (WHATWG), with the
 * standard's name.
 */
export function encodingOf(page: Buffer, contentType: string): string {
  const declared = charsetOf(contentType);
  // Default: most of the web is UTF-8, also without saying so.
  const unsaid = isUtf8(page) ? 'UTF-8' : 'windows-1252';
  return sniff(page, { ...(declared && { transportLayerEncodingLabel: declared }), defaultEncoding: unsaid });
}

/**
 * The text of a stylesheet: byte order mark, `content-type`, `@charset`, the page's own encoding (CSS Syntax 3, 3.2). Invalid
 * bytes become U+FFFD.
 */
export function cssText(sheet: Buffer, contentType: string, encodingOfPage: string): string {
  const rule = /^@charset "([\w.:-]{1,40})";/.exec(sheet.subarray(0, 60).toString('latin1'))?.[1];
  const [, marked] = marks.find(([mark]) => sheet.toString('latin1', 0, mark.length) === mark) ?? [];
  return decode(sheet, marked ?? charsetOf(contentType) ?? rule ?? encodingOfPage);
}

/** Byte order marks. */
const marks = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;

/** Decodes text without its byte order mark; unknown encodings count as UTF-8. */
export function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
