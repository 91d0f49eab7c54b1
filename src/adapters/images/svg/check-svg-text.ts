import { SaxesParser } from 'saxes';
import { assertSize, maxDrawingBytes, type Picture, refuse } from '../image.ts';

/**
 * Cleans an SVG: the result can neither run nor load anything. The text is checked before jsdom is loaded.
 * @throws AppError unsupported_file
 */
export async function cleanDrawing(content: Buffer): Promise<Picture> {
  if (content.length > maxDrawingBytes)
    throw refuse(
      `must have at most ${maxDrawingBytes / 1024} KiB as an SVG; it has ${Math.ceil(content.length / 1024)}`,
    );
  const given = writeOutEntities(textOf(content));
  assertPlain(given);
  const { text, removed } = (await import('./clean-svg.ts')).cleanSvg(given);
  const { width, height } = await (await import('../raster.ts')).sizeOf(text);
  assertSize(width, height);
  return { format: 'svg', content: Buffer.from(text), width, height, removed };
}

/** Other encodings could be read differently by browsers. */
function textOf(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw refuse('must be encoded in UTF-8 as an SVG', error);
  }
}

const maxElements = 20_000;
/** Trees are walked recursively. */
const maxDepth = 200;

/**
 * Checks an SVG's text before it is parsed to a tree: well-formed, neither too many elements nor too deep, and without
 * entities, which can expand to gigabytes. @throws AppError unsupported_file
 */
export function assertPlain(text: string): void {
  if (/<!ENTITY|<!DOCTYPE[^<>[]*\[/i.test(text))
    throw refuse('must declare no entities as an SVG; save it as “Plain SVG”, or without editing capabilities');
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let elements = 0;
  parser.on('opentag', () => {
    depth += 1;
    elements += 1;
    if (depth > maxDepth) throw refuse(`must be nested at most ${maxDepth} elements deep as an SVG`);
    if (elements > maxElements) throw refuse(`must have at most ${maxElements} elements as an SVG`);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('error', ({ message }) => {
    throw refuse(`could not be read as an SVG: ${message.slice(0, 120)}`);
  });
  parser.write(text).close();
}

/** A document type with its own declarations. */
const documentType = /<!DOCTYPE\s+svg\b[^[>]{0,400}\[([^\]]{0,8000})\]\s*>/;
/** An entity of plain text: no tag, and no other entity. */
const declaration = /<!ENTITY\s+([\w.-]{1,40})\s+(?:"([^"<&%]{0,200})"|'([^'<&%]{0,200})')\s*>/g;
/** Maximum characters of all expansions. */
const maxExpandedCharacters = 64 * 1024;

/**
 * Expands a drawing's own entities, as Adobe Illustrator declares them for namespaces. Other entities stay, for `assertPlain`
 * to reject.
 */
function writeOutEntities(text: string): string {
  const [whole, declared = ''] = documentType.exec(text) ?? [];
  if (whole === undefined || declared.replace(declaration, '').trim() !== '') return text;
  const values = new Map<string, string>();
  for (const [, name = '', double, single] of declared.matchAll(declaration)) values.set(name, double ?? single ?? '');
  let left = maxExpandedCharacters;
  const written = text.replace(whole, '').replace(/&([\w.-]{1,40});/g, (reference, name: string) => {
    const value = values.get(name);
    left -= value?.length ?? 0;
    return left < 0 ? reference : (value ?? reference);
  });
  return left < 0 ? text : written;
}
