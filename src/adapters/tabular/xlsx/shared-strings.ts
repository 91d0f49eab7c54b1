import { TextStore } from './text-store.ts';
import { readXml } from './xml.ts';

/** The texts that a workbook's cells refer to by number; only the characters of rich text. */
export async function readSharedStrings(part: string, bytes: AsyncIterable<Buffer>): Promise<TextStore> {
  const texts = new TextStore();
  let text = '';
  let inText = false;
  let phonetic = 0;
  await readXml(part, bytes, {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') phonetic += 1;
      else if (name === 't') inText = phonetic === 0;
    },
    text(piece) {
      if (inText) text += piece;
    },
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'rPh') phonetic -= 1;
      else if (name === 'si') texts.add(unescaped(text));
    },
  });
  return texts;
}

/** Excel writes characters that XML can't contain as `_x000D_` (ECMA-376 part 1, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
