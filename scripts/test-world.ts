/**
 * `npm run test:world`: tests of the real Traefik, from the PATH or built from its source where Go is installed (about ten minutes the
 * first time, kept in the cache folder). Without either it is skipped, with the reason.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const compiler = 'go';
const version = '3.7.9';
/** Of the module's content, as Go's checksum database has it. */
const checksum = 'h1:RxOqG3Wtvl1F5yCDr2ZxAg21YU3QCh/m0tae3Su4BZ8=';
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tenantry');
const kept = join(cache, `traefik-${version}`);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const inPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(isProgram);

/** Runs Go; its progress goes to the terminal, its answer is returned. */
function go(args: string[], cwd: string): string {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-p=1 -buildvcs=false' };
  const { status, stdout } = spawnSync(compiler, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`go ${args[0]} failed`);
  return stdout;
}

/** Builds the pinned version. @throws when its source cannot be had or is another one */
function build(): void {
  console.log(`Building Traefik ${version} (about ten minutes, once) …`);
  const work = mkdtempSync(join(tmpdir(), 'tenantry-traefik-'));
  try {
    const found = JSON.parse(go(['mod', 'download', '-json', `github.com/traefik/traefik/v3@v${version}`], work));
    if (found.Sum !== checksum) throw new Error(`the source of Traefik ${version} has another checksum: ${found.Sum}`);
    const source = join(work, 'source');
    cpSync(found.Dir, source, { recursive: true });
    spawnSync('chmod', ['-R', 'u+w', source]);
    // A nested module, which Go leaves out of the parent's archive: two empty types.
    const extension = join(source, 'pkg', 'config', 'dynamic', 'ext');
    mkdirSync(extension);
    writeFileSync(join(extension, 'go.mod'), 'module github.com/traefik/traefik/dynamic/ext\n');
    writeFileSync(join(extension, 'ext.go'), 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n');
    const named = `-s -w -X github.com/traefik/traefik/v3/pkg/version.Version=${version}`;
    const program = join(work, 'traefik');
    go(['build', '-trimpath', '-ldflags', named, '-o', program, './cmd/traefik'], source);
    mkdirSync(cache, { recursive: true });
    cpSync(program, `${kept}.new`);
    renameSync(`${kept}.new`, kept);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function traefik(): string | undefined {
  const installed = inPath('traefik');
  if (installed !== undefined || isProgram(kept)) return installed ?? kept;
  if (inPath(compiler) === undefined) return undefined;
  build();
  return kept;
}

const program = traefik();
if (program === undefined) {
  console.log('Skipped: neither traefik nor go is installed, so there is no real Traefik to test with');
} else {
  const { stdout } = spawnSync(program, ['version'], { encoding: 'utf8' });
  console.log(`Traefik ${/Version:\s+(\S+)/.exec(stdout)?.[1] ?? 'of an unknown version'}: ${program}`);
  const env = { ...process.env, TEST_TRAEFIK: program };
  const args = [join(import.meta.dirname, 'test.ts'), 'test/world', ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1);
}
