import { Parser } from 'htmlparser2';
import type { PageFacts } from '../website.ts';
import { type Attributes, createElementNotes } from './page-elements.ts';
import { createHeadNotes, type SheetOfPage } from './page-head.ts';
import { createLogoNotes } from './page-logos.ts';

export interface Page {
  facts: PageFacts;
  sheets: SheetOfPage[];
  manifest: URL | null;
  /** Target of a `<meta http-equiv="refresh">` within five seconds. */
  refresh: URL | null;
  /** True if the rest was not read because it is nested too deeply. */
  cut: boolean;
}

/** As deep as browsers nest elements; the parser's time grows with the depth. */
const maxDepth = 512;
const maxTextCharacters = 4_000;
/** Their content is not visible text. */
const silent = new Set(['script', 'style', 'template', 'svg', 'title', 'head', 'select', 'iframe', 'object']);

/** Parses a page, in one pass and without a tree. Nothing of it is run. Never throws: any text is HTML. */
export function readPage(html: string, address: URL): Page {
  const head = createHeadNotes(address);
  const elements = createElementNotes();
  const logos = createLogoNotes();
  let depth = 0;
  let mute = 0;
  let text = '';
  let svgFrom: { at: number; depth: number } | undefined;
  let cut = false;

  const parser: Parser = new Parser({
    onopentag(tag, attributes: Attributes) {
      depth += 1;
      if (depth > maxDepth) {
        cut = true;
        throw tooDeep;
      }
      if (silent.has(tag)) mute += 1;
      if (svgFrom) return;
      head.open(tag, attributes);
      const place = elements.open(tag, attributes, depth);
      logos.open(tag, attributes, place, depth);
      if (tag === 'svg') svgFrom = { at: parser.startIndex, depth };
    },
    ontext(piece) {
      head.text(piece);
      if (mute === 0 && text.length < maxTextCharacters) text += piece;
    },
    onclosetag(tag) {
      if (svgFrom?.depth === depth) {
        logos.svg(html.slice(svgFrom.at, parser.endIndex + 1));
        svgFrom = undefined;
      }
      if (!svgFrom) {
        head.close(tag);
        elements.close(depth);
        logos.close(depth);
      }
      if (silent.has(tag)) mute -= 1;
      depth -= 1;
      // Blocks are separated where their tags were.
      if (text.length < maxTextCharacters) text += ' ';
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (error !== tooDeep) throw error;
  }

  const { sheets, manifest, refresh, base, icons, previews, ...headFacts } = head.done();
  return {
    facts: {
      ...headFacts,
      logos: logos.done({ base, icons, previews }),
      ...elements.done(),
      text: text.replace(/\s+/g, ' ').trim().slice(0, maxTextCharacters),
    },
    sheets,
    manifest,
    refresh,
    cut,
  };
}

const tooDeep = new Error('nested too deeply');
