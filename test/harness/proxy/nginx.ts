import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, test } from '@jest/globals';
import Docker, { type Container } from 'dockerode';
import { createNginxProxy } from '../../../src/adapters/proxies/nginx/nginx-proxy.ts';
import type { NginxProxyOptions } from '../../../src/adapters/proxies/nginx/options.ts';
import type { ReverseProxy } from '../../../src/adapters/proxies/proxy.ts';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { runProgram } from '../../../src/lib/spawn.ts';
import { patienceMs, slowness } from '../patience.ts';
import { freePort } from '../servers/ports.ts';

const program = 'nginx';
const { status, stderr } = spawnSync(program, ['-v'], { encoding: 'utf8' });
const installed = status === 0;
/** Of this machine's program. */
export const installedVersion = /nginx\/([\d.]+)/.exec(stderr)?.[1] ?? '';

/** A block of tests that need nginx. Without it it is a skipped test with the reason; with CI=true it fails instead. */
export function describeWithNginx(name: string, define: () => void): void {
  describe(name, () => {
    if (installed || process.env.CI === 'true') define();
    else test.skip('skipped: nginx is not installed (Debian: apt-get install nginx)', () => undefined);
  });
}

/** A real nginx on loopback in its own directory, with counts of its calls. */
export class TestNginx {
  readonly directory: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The arguments of every run of the program, in order. */
  readonly runs: string[][] = [];
  #child: ChildProcess | undefined;
  #container: Container | undefined;
  #workers: number[] = [];

  private constructor(directory: string, httpPort: number, httpsPort: number) {
    this.directory = directory;
    this.httpPort = httpPort;
    this.httpsPort = httpsPort;
  }

  /** @param httpPort to use a fixed one: see `claimPort80` */
  static async create(httpPort?: number): Promise<TestNginx> {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-nginx-'));
    // Its workers run as another user.
    await chmod(directory, 0o755);
    return new TestNginx(directory, httpPort ?? (await freePort()), await freePort());
  }

  /** Of its container. */
  get name(): string {
    return basename(this.directory);
  }

  get mainConfig(): string {
    return join(this.directory, 'nginx.conf');
  }

  get sites(): string {
    return join(this.directory, 'tenantry', 'sites');
  }

  get errorLog(): string {
    return join(this.directory, 'error.log');
  }

  get masterPid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('nginx does not run');
    return pid;
  }

  options(changes: Partial<NginxProxyOptions> = {}): NginxProxyOptions {
    return {
      run: async ([file, ...parameters], options) => {
        this.runs.push(parameters);
        return runProgram(file, parameters, { env: { PATH: process.env.PATH ?? '' }, ...options });
      },
      mainConfig: this.mainConfig,
      directory: join(this.directory, 'tenantry'),
      address: '127.0.0.1',
      httpPort: this.httpPort,
      httpsPort: this.httpsPort,
      listen: { addresses: ['127.0.0.1'] },
      proofTimeoutMs: 5_000 * slowness,
      logger: createLogger({ level: 'fatal' }),
      ...changes,
    };
  }

  /** An opened adapter of this nginx. */
  async proxy(changes: Partial<NginxProxyOptions> = {}): Promise<ReverseProxy> {
    const proxy = createNginxProxy(this.options(changes));
    await proxy.open();
    return proxy;
  }

  /** The number of reloads. */
  get reloads(): number {
    return this.runs.filter((parameters) => parameters.includes('reload')).length;
  }

  async start(): Promise<void> {
    const child = spawn(program, ['-c', this.mainConfig, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const answers = await poll(
      async () => {
        if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`);
        return (await this.answers()) || undefined;
      },
      { timeoutMs: patienceMs, intervalMs: 20 },
    );
    if (!answers) throw new Error(`nginx does not answer: ${said}`);
  }

  /** Starts the image of compose.yaml instead of this machine's program, with the rights that it has there. */
  async startContainer(): Promise<void> {
    this.#container = await new Docker({ socketPath: '/var/run/docker.sock' }).createContainer({
      name: this.name,
      Image: 'nginx:1.30',
      Cmd: ['nginx', '-g', 'daemon off;', '-c', this.mainConfig],
      HostConfig: {
        NetworkMode: 'host',
        Binds: [`${this.directory}:${this.directory}`],
        CapDrop: ['ALL'],
        CapAdd: ['CHOWN', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
        SecurityOpt: ['no-new-privileges:true'],
      },
    });
    await this.#container.start();
    if (!(await poll(async () => (await this.answers()) || undefined, { timeoutMs: patienceMs, intervalMs: 20 })))
      throw new Error('nginx does not answer in its container');
  }

  /** The peak memory of each worker, in bytes. */
  async peakMemory(): Promise<number[]> {
    await this.#rememberWorkers();
    const statuses = await Promise.all(this.#workers.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
    return statuses.map((status) => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024);
  }

  /** A file's permission bits, in octal. */
  async modeOf(path: string): Promise<string> {
    return ((await stat(path)).mode & 0o777).toString(8);
  }

  /** Stops master and workers gracefully, or immediately. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Kills only the master process; its workers continue alone, and the pid file stays. */
  async killMaster(): Promise<void> {
    await this.#rememberWorkers();
    await this.stop('SIGKILL');
  }

  /** Sends the signal to master and workers. */
  async endAll(signal: NodeJS.Signals): Promise<void> {
    if (this.#child) await this.#rememberWorkers();
    await this.stop(signal);
    for (const pid of this.#workers.splice(0)) await endProcess(pid, signal);
  }

  async #rememberWorkers(): Promise<void> {
    const master = this.masterPid;
    const children = await readFile(`/proc/${master}/task/${master}/children`, 'utf8').catch(() => '');
    this.#workers = children.split(' ').filter(Boolean).map(Number);
  }

  async destroy(): Promise<void> {
    // Gracefully; also workers whose master was killed.
    await this.stop();
    await this.endAll('SIGKILL');
    await this.#container?.remove({ force: true });
    await rm(this.directory, { recursive: true, force: true });
  }

  answers(): Promise<boolean> {
    return new Promise((resolve) => {
      request({ host: '127.0.0.1', port: this.httpPort, agent: false }, (response) => {
        response.resume();
        resolve(true);
      })
        .on('error', () => resolve(false))
        .end();
    });
  }
}

/** Ends a process that is no child of ours any more, and waits until it is gone or only left to be reaped. */
async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  await poll(
    async () => {
      const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
      if (status === undefined || /\) [ZX] /.test(status)) return true;
      process.kill(pid, signal);
      return undefined;
    },
    { timeoutMs: patienceMs, intervalMs: 20 },
  );
}
