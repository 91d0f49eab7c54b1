import { isUtf8 } from 'node:buffer';
import sniff from 'html-encoding-sniffer';

/**
 * The text of an HTML document or a stylesheet, and its encoding by the standard's name: of the byte order mark, the
 * `content-type`, `<meta>`, in this order (WHATWG). Invalid bytes become U+FFFD.
 * @param unsaid the encoding where none is declared. Default: UTF-8 where it can be, as most of the web is, also without saying so
 */
export function textOf(bytes: Buffer, contentType: string, unsaid?: string): { text: string; encoding: string } {
  const declared = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  const encoding = sniff(bytes, {
    ...(declared && { transportLayerEncodingLabel: declared }),
    defaultEncoding: unsaid ?? (isUtf8(bytes) ? 'UTF-8' : 'windows-1252'),
  });
  try {
    return { text: new TextDecoder(encoding).decode(bytes), encoding };
  } catch {
    return { text: new TextDecoder().decode(bytes), encoding: 'UTF-8' };
  }
}
