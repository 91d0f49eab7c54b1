/**
 * `npm run test:engines [suite …]`: the runtime contracts, and what operators do, on Docker's engines of Debian 12, 13 and unstable
 * (the newest), each with its image stores and in a network namespace of its own. Prints a table of versions and results; needs root,
 * patchelf, debootstrap, mariadb-server and docker-registry, and about 15 minutes for each row.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

// Before Docker 28 containerd's store cannot be used (src/adapters/runtimes/engine/client/api-version.ts).
const engines = [
  ['bookworm', 'graph'],
  ['trixie', 'graph'],
  ['sid', 'graph'],
  ['sid', 'containerd'],
] as const;

/** What operators do, and the tests that prove it: a part of their titles. */
const operations = {
  deploy: 'v1.0.0 is deployed with its database',
  upgrade: 'to v1.1.0 with its migration',
  backup: 'copied during a short pause of the services, verified, restored',
  restore: 'backed up while it runs, verified, restored with its files',
  logs: 'is read and followed',
  delete: 'deleting it leaves nothing at the engine',
} as const;

const suites = [
  'test/contracts/runtime-docker.test.ts',
  'test/contracts/runtime-docker-only.test.ts',
  'test/contracts/runtime-swarm.test.ts',
  'test/e2e/docker/base-images.test.ts',
  'test/e2e/docker/contacts.test.ts',
  'test/e2e/docker/backups.test.ts',
];

const root = join(import.meta.dirname, '..');
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tenantry', 'engines');
const work = mkdtempSync(join(tmpdir(), 'tenantry-engines-'));

/** A run's results, as `jest --json` writes them; only the used parts. */
const results = z.object({
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })), name: z.string() }),
  ),
});

/** Runs a program to its end with its output on ours. @returns whether it succeeded */
const run = (file: string, ...args: string[]): boolean =>
  spawnSync(file, args, { cwd: root, stdio: 'inherit' }).status === 0;

/** One row of the table. */
function testEngine(suite: string, store: string): string[] {
  const engine = join(cache, suite);
  const script = (name: string): string => join(root, 'test', 'harness', 'engine', name);
  if (!run(script('install-engine.sh'), suite, engine)) return [suite, store, 'not installed'];
  const version = spawnSync(join(engine, 'bin', 'dockerd'), ['--version'], { encoding: 'utf8' }).stdout;
  const output = join(work, `${suite}-${store}.json`);
  const tests = ['npm', 'test', '--', '--json', `--outputFile=${output}`, '--maxWorkers=1', ...suites];
  run(script('with-engine.sh'), engine, store, join(cache, `${suite}-${store}`), ...tests);
  if (!existsSync(output)) return [suite, store, 'not run'];
  const { testResults } = results.parse(JSON.parse(readFileSync(output, 'utf8')));
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = (found: typeof all): boolean => found.length > 0 && found.every(({ status }) => status === 'passed');
  return [
    /version ([\d.]+)/.exec(version)?.[1] ?? suite,
    store === 'graph' ? 'overlay2' : 'containerd',
    `${all.filter(({ status }) => status === 'passed').length} of ${all.length}`,
    ...Object.values(operations).map((title) =>
      passed(all.filter(({ fullName }) => fullName.includes(title))) ? '✓' : '✗',
    ),
  ];
}

const wanted = process.argv.slice(2);
const rows = engines
  .filter(([suite]) => wanted.length === 0 || wanted.includes(suite))
  .map(([suite, store]) => testEngine(suite, store));
rmSync(work, { recursive: true });
const table = [['engine', 'image store', 'tests', ...Object.keys(operations)], ...rows];
table.splice(1, 0, table[0]?.map(() => '---') ?? []);
for (const row of table) console.log(`| ${row.join(' | ')} |`);
if (rows.length === 0 || rows.some((row) => row.length < 4 || row.includes('✗'))) process.exitCode = 1;
