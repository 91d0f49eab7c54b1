import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from 'bcrypt';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { patienceMs } from '../patience.ts';
import { freePort } from '../servers/ports.ts';

const program = '/usr/bin/docker-registry';
export const registryInstalled = existsSync(program);

/** The account of a registry with credentials; the hash is of bcrypt, which the registry requires. */
export const account = { user: 'tenantry', password: 'registry-pass/+word' };
const htpasswd = 'tenantry:$2b$04$h4prwpgr2QmHGwJn2T8JoOv1WmCBqfVn1GwiyD4ETtNguHJf5lkVS\n';

/** Debian's registry on the loopback, without TLS, which engines accept there. */
export class TestRegistry {
  readonly address: string;
  readonly #directory: string;
  #child: ChildProcess | undefined;

  private constructor(directory: string, address: string) {
    this.#directory = directory;
    this.address = address;
  }

  /** @param options.address default: a free port of 127.0.0.1 */
  static async start(
    options: { credentials?: boolean; removes?: boolean; address?: string } = {},
  ): Promise<TestRegistry> {
    const { credentials = false, removes = true } = options;
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-registry-'));
    const registry = new TestRegistry(directory, options.address ?? `127.0.0.1:${await freePort()}`);
    const passwords = join(directory, 'htpasswd');
    await writeFile(passwords, htpasswd);
    const settings = {
      version: 0.1,
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(directory, 'images') }, delete: { enabled: removes } },
      http: { addr: registry.address },
      ...(credentials ? { auth: { htpasswd: { realm: 'test', path: passwords } } } : {}),
    };
    // JSON is YAML, too.
    await writeFile(join(directory, 'registry.yml'), JSON.stringify(settings));
    await registry.restore();
    return registry;
  }

  async restore(): Promise<void> {
    const child = spawn(program, ['serve', join(this.#directory, 'registry.yml')], { stdio: 'ignore' });
    this.#child = child;
    process.once('exit', () => child.kill('SIGKILL'));
    const answer = () => fetch(`http://${this.address}/v2/`).catch(() => undefined);
    if (!(await poll(answer, { timeoutMs: patienceMs, intervalMs: 50 })))
      throw new Error('docker-registry did not start');
  }

  /** From now on the account has another password. */
  async changePassword(password: string): Promise<void> {
    await this.cut();
    await writeFile(join(this.#directory, 'htpasswd'), `${account.user}:${await hash(password, 4)}\n`);
    await this.restore();
  }

  /** The registry does not answer until it is restored. */
  async cut(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.cut();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
