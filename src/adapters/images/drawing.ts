import { SaxesParser } from 'saxes';
import sharp from 'sharp';
import { assertSize, maxDrawingBytes, maxSide, type Picture, refuse } from './image.ts';
import { readable } from './raster.ts';

/** Of the longer side, in pixels: as large as a logo is shown anywhere. */
const drawnSide = 1_024;

/**
 * Draws an SVG as a PNG. librsvg runs nothing, and without a base address it loads nothing; what takes too long is ended with its
 * process.
 * @throws AppError unsupported_file
 */
export async function drawing(content: Buffer): Promise<Picture> {
  if (content.length > maxDrawingBytes)
    throw refuse(
      `must have at most ${maxDrawingBytes / 1024} KiB as an SVG; it has ${Math.ceil(content.length / 1024)}`,
    );
  const text = writeOutEntities(textOf(content));
  assertDrawable(text);
  const own = await sizeOf(text);
  assertSize(own.width, own.height);
  const longest = Math.max(own.width, own.height);
  const scale = Math.min(maxSide, Math.max(drawnSide, longest)) / longest;
  const [width, height] = [own.width, own.height].map((side) => Math.max(1, Math.round(side * scale)));
  const outer = `<svg xmlns="${namespace}" width="${width}" height="${height}" viewBox="0 0 ${own.width} ${own.height}" preserveAspectRatio="none">${rootOf(text)}</svg>`;
  // CSS has 96 pixels an inch; libvips' default is 72. As it may scale the whole drawing by that, the size is set again.
  const image = sharp(Buffer.from(outer), { density: 96 }).resize({ width, height, fit: 'fill' });
  const drawn = image.png().toBuffer({ resolveWithObject: true });
  const { data, info } = await drawn.catch((error: unknown) => {
    throw refuse('could not be drawn as an SVG; simplify it, or upload a PNG', error);
  });
  const { channels } = await sharp(data).stats();
  if (channels[3]?.max === 0) throw refuse('draws nothing as an SVG');
  return { format: 'png', content: data, width: info.width, height: info.height };
}

const namespace = 'http://www.w3.org/2000/svg';
/** Declaration, doctype, comments and instructions before the first element. */
const prologue = /^(?:\s|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*>)*/;
const rootOf = (text: string): string => text.replace(prologue, '');

/** A drawing's own size in CSS pixels: its width and height, or its view box. */
async function sizeOf(text: string): Promise<{ width: number; height: number }> {
  const content = Buffer.from(text);
  const { width, height } = await readable(() => sharp(content, { density: 96, limitInputPixels: false }).metadata());
  // With 96 pixels an inch, libvips also scales the whole drawing by 96/72.
  return { width: Math.round(width * 0.75), height: Math.round(height * 0.75) };
}

/** Other encodings could be read differently. */
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
/** Elements that hold pictures, whose own decoders have no limits. */
const pictures: ReadonlySet<string> = new Set(['image', 'feImage']);

/**
 * Checks an SVG's text before it is drawn: well-formed, with a size, without pictures, neither too many elements nor too deep, and
 * without entities, which can expand to gigabytes. @throws AppError unsupported_file
 */
function assertDrawable(text: string): void {
  if (/<!ENTITY|<!DOCTYPE[^<>[]*\[/i.test(text))
    throw refuse('must declare no entities as an SVG; save it as “Plain SVG”, or without editing capabilities');
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  let elements = 0;
  parser.on('opentag', ({ local, uri, attributes }) => {
    depth += 1;
    elements += 1;
    if (elements === 1) {
      if (local !== 'svg' || uri !== namespace) throw refuse(`must begin with <svg xmlns="${namespace}"> as an SVG`);
      if (!attributes.viewBox && !(attributes.width && attributes.height))
        throw refuse('must have a viewBox, or width and height, as an SVG');
    }
    if (pictures.has(local)) throw refuse('must contain no pictures as an SVG; upload the picture itself as a PNG');
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
 * Expands a drawing's own entities, as Adobe Illustrator declares them for namespaces. Other entities stay, for `assertDrawable`
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
