import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Fonts that machines mostly have, best first: the file that tells that one is there, and the configuration that names it. */
const fonts = {
  'DejaVuSans.ttf': 'dejavu',
  'LiberationSans-Regular.ttf': 'liberation',
  'NotoSans-Regular.ttf': 'noto',
  'FreeSans.ttf': 'free',
} as const;
const directories = ['/usr/share/fonts', '/usr/local/share/fonts'];

let configuration: Promise<string | undefined> | undefined;

/**
 * The path of a configuration of fontconfig by which text in a font that the machine has not is drawn in one that it has: what draws
 * asks for `serif` then, and leaves the text out where that is none of the machine's. Undefined where no such font is known.
 */
export function fallbackFont(): Promise<string | undefined> {
  configuration ??= find();
  return configuration;
}

async function find(): Promise<string | undefined> {
  const lists = await Promise.all(directories.map((path) => readdir(path, { recursive: true }).catch(() => [])));
  const present = new Set(lists.flat().map((path) => basename(path)));
  const found = Object.entries(fonts).find(([file]) => present.has(file));
  return found && fileURLToPath(new URL(`./fonts/${found[1]}.conf`, import.meta.url));
}
