import { SaxesParser } from 'saxes';
import { refuse } from '../refuse.ts';

const mostElements = 20_000;
/** Trees are walked by functions that call themselves. */
const deepest = 200;

/**
 * Looks an SVG's text through before a tree is made of it: well-formed, neither too many elements nor too deep, and
 * without entities, of which a few lines can become gigabytes. @throws AppError unsupported_file
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
    if (depth > deepest) throw refuse(`must be nested at most ${deepest} elements deep as an SVG`);
    if (elements > mostElements) throw refuse(`must have at most ${mostElements} elements as an SVG`);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('error', ({ message }) => {
    throw refuse(`could not be read as an SVG: ${message.slice(0, 120)}`);
  });
  parser.write(text).close();
}
