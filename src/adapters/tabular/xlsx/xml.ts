import { SaxesParser } from 'saxes';
import { limits, refused } from '../limits.ts';

type Attributes = Readonly<Record<string, string>>;

/** Events of an XML document; names have no namespace prefix, which each writer chooses. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Parses a document chunk by chunk, calling the handler; yields in between so that the caller can pass results on.
 * @throws AppError unsupported_file for malformed XML or declared entities
 */
export async function* parseXml(part: string, bytes: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  let failure: unknown;
  let sinceMarkup = 0;
  let depth = 0;
  parser.on('error', (error) => {
    failure ??= refused(`The workbook is damaged: ${part}: ${error.message}`, error);
  });
  // Entities can expand a few bytes to gigabytes, or name files of the machine; no workbook needs them.
  parser.on('doctype', () => {
    failure ??= refused(`The workbook is refused: ${part} declares a document type`);
  });
  parser.on('opentag', (tag) => {
    sinceMarkup = 0;
    depth += 1;
    if (depth > limits.depth) throw refused(`The workbook is damaged: ${part} is nested deeper than ${limits.depth}`);
    handler.open(localName(tag.name), tag.attributes);
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('closetag', (tag) => {
    sinceMarkup = 0;
    depth -= 1;
    handler.close?.(localName(tag.name));
  });

  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of bytes) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    sinceMarkup += chunk.length;
    parser.write(decoder.decode(chunk, { stream: true }));
    if (failure !== undefined) throw failure;
    if (sinceMarkup > limits.markup)
      throw refused(`A cell or tag of ${part} is larger than ${limits.markup / 1024 ** 2} MB`);
    yield;
  }
  parser.close();
  if (failure !== undefined) throw failure;
  yield;
}

/** Parses a document to its end. */
export async function readXml(part: string, bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of parseXml(part, bytes, handler));
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/** An attribute by its name without prefix (`r:id`). */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const plain = attributes[name];
  if (plain !== undefined) return plain;
  return Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

/** XML Schema's booleans. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
