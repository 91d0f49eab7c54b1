/** Renders the operations guide and what it links to as pages of the dashboard, so that help needs no other site. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

const root = join(import.meta.dirname, '..');

/** The pages by their documents. */
const pages: Readonly<Record<string, string>> = {
  'docs/operations.md': 'index.html',
  'docs/glossary.md': 'glossary.html',
  'README.md': 'readme.html',
};

const styles = `
body { background: var(--surface); color: var(--text); font: var(--text-14); margin: 0 auto; max-width: 80ch; padding: 24px 16px 80px; }
h1, h2, h3 { line-height: 1.25; margin: 1.6em 0 0.6em; scroll-margin-top: 16px; }
h1 { font-size: 24px; }
h2 { border-top: 1px solid var(--border); font-size: 18px; padding-top: 1em; }
h3 { font-size: 15px; }
a { color: var(--link); }
:target { background: var(--warning-subtle); }
pre, code { background: var(--surface-sunken); border-radius: var(--radius-md); font: var(--mono-12); }
code { overflow-wrap: anywhere; padding: 1px 4px; }
li { line-height: 24px; }
pre { overflow-x: auto; padding: 12px; }
pre code { padding: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--border); padding: 6px 12px 6px 0; text-align: start; vertical-align: top; }
`;

/** The guide follows the theme that the user chose in the dashboard. */
const script = `
const scheme = localStorage.getItem('tenantry.color-scheme');
const dark = scheme === '"dark"' || (scheme !== '"light"' && matchMedia('(prefers-color-scheme: dark)').matches);
if (dark) document.documentElement.dataset.theme = 'dark';
`;

/** A link to a document as a link to its page; to other files of the repository, none. */
function pageLink(href: string): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const found = Object.entries(pages).find(([document]) => document.endsWith(path.replace(/^(?:\.\.?\/)+/, '')));
  return found && (anchor ? `${found[1]}#${anchor}` : found[1]);
}

/** Writes the pages. @param directory the dashboard's built files */
export async function buildHelp(directory: string): Promise<void> {
  const help = join(directory, 'help');
  await mkdir(help, { recursive: true });
  for (const [document, page] of Object.entries(pages)) {
    const marked = new Marked(gfmHeadingId(), {
      renderer: {
        image: () => '',
        link({ href, tokens }) {
          const to = pageLink(href);
          const text = this.parser.parseInline(tokens);
          return to === undefined ? text : `<a href="${to}">${text}</a>`;
        },
      },
    });
    const text = await readFile(join(root, document), 'utf8');
    const title = /^# (.+)/m.exec(text)?.[1] ?? document;
    // A wide block scrolls, by the keyboard, too.
    const body = (await marked.parse(text)).replaceAll('<pre>', '<pre tabindex="0">');
    await writeFile(
      join(help, page),
      `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
        `<title>${title} · Tenantry</title>\n<link rel="icon" href="/icon.svg">\n<link rel="stylesheet" href="help.css">\n<script src="help.js"></script>\n<main>\n${body}</main>\n</html>\n`,
    );
  }
  const tokens = await readFile(join(root, 'dashboard', 'src', 'theme', 'tokens.css'), 'utf8');
  await writeFile(join(help, 'help.css'), tokens + styles);
  await writeFile(join(help, 'help.js'), script);
}
