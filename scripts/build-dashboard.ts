/**
 * Builds the dashboard into dashboard/dist, with compressed copies of each file, and prints the size of a first visit. It fails
 * if that is too much JavaScript for a slow connection. `--if-needed`: builds only if the sources are newer.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildHelp } from './build-help.ts';

const root = join(import.meta.dirname, '..');
const dashboard = join(root, 'dashboard');
const built = join(dashboard, 'dist');
const mostInitialBytes = 230_000;

if (!process.argv.includes('--if-needed') || (await isOld())) {
  // Vite would build React for development if the caller's NODE_ENV said so (Jest sets it to 'test').
  process.env.NODE_ENV = 'production';
  await build({ configFile: join(dashboard, 'vite.config.ts'), logLevel: 'error' });
  await buildHelp(built);
  const initial = await compress();
  console.log(`Dashboard built; a first visit loads ${Math.round(initial / 1000)} kB of JavaScript (gzipped).`);
  if (initial > mostInitialBytes) {
    console.error(`That is more than ${mostInitialBytes / 1000} kB.`);
    process.exit(1);
  }
}

/** Whether a source is newer than what was built from it. */
async function isOld(): Promise<boolean> {
  const index = join(built, 'index.html');
  if (!existsSync(index)) return true;
  const { mtimeMs } = await stat(index);
  const sources = await readdir(join(dashboard, 'src'), { recursive: true });
  const files = [
    ...sources.map((path) => join(dashboard, 'src', path)),
    join(dashboard, 'index.html'),
    join(dashboard, 'vite.config.ts'),
    join(root, 'package-lock.json'),
    join(root, 'README.md'),
    join(root, 'docs', 'operations.md'),
    join(root, 'docs', 'glossary.md'),
    join(root, 'scripts', 'build-help.ts'),
  ];
  for (const file of files) if ((await stat(file)).mtimeMs > mtimeMs) return true;
  return false;
}

/** Answers the gzipped bytes of the scripts that index.html names. */
async function compress(): Promise<number> {
  const page = await readFile(join(built, 'index.html'), 'utf8');
  let initial = 0;
  for (const path of await readdir(built, { recursive: true })) {
    if (!/\.(html|js|css|svg)$/.test(path)) continue;
    const content = await readFile(join(built, path));
    const packed = gzipSync(content, { level: 9 });
    await writeFile(join(built, `${path}.gz`), packed);
    await writeFile(join(built, `${path}.br`), brotliCompressSync(content));
    if (path.endsWith('.js') && page.includes(path)) initial += packed.length;
  }
  return initial;
}
