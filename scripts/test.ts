/**
 * `npm test`: detects which external programs this machine has, prepares the base images, and runs all suites. A missing program
 * is reported and its suites are skipped with the reason; with CI=true it fails the run instead.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureSlowness } from './measure-slowness.ts';

const root = join(import.meta.dirname, '..');
const answers = (file: string, ...args: string[]): boolean => spawnSync(file, args, { stdio: 'ignore' }).status === 0;

const engine = answers('docker', 'version', '--format', '{{.Server.Version}}');
const parts: [name: string, present: boolean, remedy: string][] = [
  ['git', answers('git', '--version'), 'install git'],
  ['Docker engine', engine, 'start dockerd, or install docker.io'],
  [
    'MariaDB server',
    answers('mariadbd', '--version') || answers('/usr/sbin/mariadbd', '--version'),
    'install mariadb-server',
  ],
  ['nginx', answers('nginx', '-v') || answers('/usr/sbin/nginx', '-v'), 'install nginx'],
  ['Caddy, as an ACME authority', answers('caddy', 'version'), 'install caddy'],
  ['registry, for several Docker engines', answers('docker-registry', '--version'), 'install docker-registry'],
];
for (const [name, present, remedy] of parts)
  console.log(`${present ? '✓' : '✗'} ${name}${present ? '' : ` (missing: ${remedy})`}`);

if (
  engine &&
  !['node:24-trixie-slim', 'node:24-bookworm-slim', 'mariadb:11.8', 'nginx:1.30', 'tenantry/systemd-machine:24'].every(
    (image) => answers('docker', 'image', 'inspect', image),
  )
) {
  console.log('Preparing base images (docker/offline/build.sh) …');
  const built = spawnSync(join(root, 'docker', 'offline', 'build.sh'), { stdio: 'inherit' });
  if (built.status !== 0) console.log('✗ The base images could not be prepared; suites that need them will fail');
}

// Managers, threads, units and npm compile the same modules again and again.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'tenantry-tests-compiled');

// Waits are as long as this machine needs (test/harness/patience.ts).
process.env.TEST_PATIENCE ??= String(await measureSlowness());
console.log(`Waits last at most ${process.env.TEST_PATIENCE} times as long as on a quiet machine (TEST_PATIENCE)`);

const exhaustive = process.env.TEST_EXHAUSTIVE === 'true';
process.env.TEST_SEED ??= String(randomInt(1_000_000));
console.log(
  exhaustive
    ? 'Crash drills: at every moment'
    : `Crash drills: at a sample of moments; TEST_SEED=${process.env.TEST_SEED} repeats it, npm run test:exhaustive runs all`,
);

const jest = [join(root, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)];
const run = spawn(process.execPath, jest, { cwd: root, stdio: 'inherit' });
run.on('exit', (code) => process.exit(code ?? 1));
