/**
 * Starts one of the project's commands: installs the dependencies if they are missing or older than the lock file, then
 * runs the given file with their Node (24), independent of the machine's Node. Without a file it only prepares the manager's start.
 * Plain JavaScript for Node 20 or newer, without packages.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, 'node_modules', '.bin');
function npm(...args) {
  const result = spawnSync('npm', args, { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const modifiedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

const installed = modifiedAt(join(root, 'node_modules', '.package-lock.json'));
if (installed === 0 || installed < modifiedAt(join(root, 'package-lock.json'))) {
  // npm would empty the link's target, which others may be using.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      'node_modules is a link to dependencies older than package-lock.json; remove the link, or run npm ci where it leads.',
    );
    process.exit(1);
  }
  console.log('Installing dependencies (npm ci) …');
  // Native modules contain their binaries: only Node's own install script is needed, and the others would need a compiler.
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
  npm('rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts', '--loglevel=error');
}

const node = [join(binaries, 'node'), process.execPath].find((path) => existsSync(path));
const neededNode = 24;
if (node === process.execPath && Number.parseInt(process.versions.node, 10) < neededNode) {
  console.error(
    `Tenantry needs Node ${neededNode} or newer; this is ${process.versions.node}, and npm could bring no other here.`,
  );
  process.exit(1);
}
const [file, ...args] = process.argv.slice(2);
// What serves the dashboard needs it built.
if ([undefined, 'scripts/demo.ts', 'scripts/test.ts'].includes(file)) {
  const result = spawnSync(node, [join(root, 'scripts', 'build-dashboard.ts'), '--if-needed'], { stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
// scripts/start.sh needs only the preparation.
if (file === undefined) process.exit();
const child = spawn(node, [join(root, file), ...args], {
  stdio: 'inherit',
  env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
