import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { patienceMs } from '../../harness/patience.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

/** docker/offline/build.sh makes it. */
const image = 'tenantry/systemd-machine:24';

/** One test of a suite that ran inside. */
export interface InsideCase {
  suite: string;
  name: string;
  status: string;
  /** The failure; '' if it passed. */
  message: string;
}

const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', args, { maxBuffer: 64 * 1024 * 1024 })).stdout;

/** Why there can be no such machine here; undefined if there can. */
export async function obstacle(): Promise<string | undefined> {
  try {
    await docker('version', '--format', '{{.Server.Version}}');
  } catch {
    return 'no Docker engine answers';
  }
  const found = await docker('image', 'inspect', image).catch(() => undefined);
  return found === undefined ? `the engine lacks the image ${image} (docker/offline/build.sh makes it)` : undefined;
}

/**
 * Boots a container with systemd as its first process, runs the suites in this directory with the checkout's own Node
 * (mounted read-only) in it and removes it.
 * @returns every case, in the order they ran.
 * @throws Error if it does not
 * boot, or the suites cannot run
 */
export async function runInside(): Promise<InsideCase[]> {
  const name = `tenantry-systemd-${randomBytes(4).toString('hex')}`;
  await docker(
    ...['run', '--detach', '--name', name],
    // What systemd needs to mount, and to create cgroups and namespaces, in an engine without --privileged.
    ...['--cap-add', 'SYS_ADMIN', '--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined'],
    ...['--cgroupns=host', '--volume', '/sys/fs/cgroup:/sys/fs/cgroup:rw', '--tmpfs', '/run', '--tmpfs', '/run/lock'],
    ...['--volume', `${root}:/repository:ro`],
    image,
  );
  try {
    await booted(name);
    // Jest exits with 1 if a case has failed: the file names it.
    const said = await docker('exec', '--workdir', '/repository', ...environment(), name, ...jest).catch(
      (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
    );
    const results = await docker('exec', name, 'cat', '/tmp/results.json').catch(() => {
      throw new Error(`The suites could not be run inside: ${said.slice(-2_000)}`);
    });
    return casesOf(JSON.parse(results));
  } finally {
    await docker('rm', '--force', '--volumes', name);
  }
}

const jest = [
  '/repository/node_modules/.bin/node',
  'node_modules/jest/bin/jest.js',
  ...['--cacheDirectory=/tmp/jest', '--json', '--outputFile=/tmp/results.json', '--maxWorkers=2'],
  ...['--testMatch', '**/test/e2e/systemd/inside/*.suite.ts'],
];

const environment = (): string[] =>
  ['TEST_LOG_LEVEL', 'TEST_PATIENCE'].flatMap((name) =>
    process.env[name] === undefined ? [] : ['--env', `${name}=${process.env[name]}`],
  );

async function booted(name: string): Promise<void> {
  let state = '';
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    state = await docker('exec', name, 'systemctl', 'is-system-running').catch(
      (error: { stdout?: string; stderr?: string }) => `${error.stdout}${error.stderr}`,
    );
    if (/^(running|degraded)/.test(state)) return;
    await sleep(200);
  }
  throw new Error(`systemd did not boot: ${state} ${await docker('logs', '--tail', '20', name)}`);
}

interface JestResults {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** A suite that could not be loaded has no case, and counts as a failed one. */
function casesOf({ testResults }: JestResults): InsideCase[] {
  return testResults.flatMap(({ name: path, message, assertionResults }) => {
    const suite = path.split('/').at(-1) ?? path;
    if (assertionResults.length === 0) return [{ suite, name: 'can be run', status: 'failed', message }];
    return assertionResults.map(({ fullName, status, failureMessages }) => ({
      suite,
      name: fullName,
      status,
      message: failureMessages.join('\n'),
    }));
  });
}
