import { Parser } from 'htmlparser2';

/** Others are a page's own, of its scripts, or of namespaces that a page need not declare. */
const attributeName = /^(?!xmlns$)(?:[a-z_][\w.-]*|xlink:href|xml:space)$/i;
const elementName = /^[a-z][\w.-]*$/i;
const declarations = ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

/**
 * An `<svg>` that stands in an HTML page as a file of its own: HTML needs no namespaces, quotes or ends of elements, XML
 * does. Nothing is cleaned.
 */
export function inlineDrawing(source: string): string {
  let written = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (!elementName.test(name)) return;
        const own = Object.entries(attributes).filter(([key]) => attributeName.test(key));
        const namespaces = written === '' ? declarations : '';
        written += `<${name}${namespaces}${own.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`;
      },
      ontext(text) {
        if (written !== '') written += escaped(text);
      },
      onclosetag(name) {
        if (elementName.test(name)) written += `</${name}>`;
      },
    },
    { xmlMode: true },
  );
  parser.end(source);
  return written;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
