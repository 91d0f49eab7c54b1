import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';

const script =
  'const S3rver = require(process.argv[1]); new S3rver({ address: "127.0.0.1", port: Number(process.argv[2]), directory: process.argv[3], silent: true }).run()';
const require = createRequire(import.meta.url);
const suffix = '._S3rver_object';

/** An S3 server (s3rver) in a separate process and directory: it checks signatures, and can be stopped for a while. */
export class S3Server {
  readonly bucket = 'backups';
  readonly accessKey = 'S3RVER';
  readonly secretKey = 'S3RVER';
  readonly directory: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(directory: string, port: number) {
    this.directory = directory;
    this.#port = port;
  }

  static async start(): Promise<S3Server> {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-s3-'));
    const server = new S3Server(directory, await freePort());
    await mkdir(join(directory, server.bucket));
    await server.up();
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const args = ['-e', script, require.resolve('@20minutes/s3rver'), String(this.#port), this.directory];
    this.#child = spawn(process.execPath, args, { stdio: 'ignore' });
    while (!(await this.#listens())) {
      if (this.#child.exitCode !== null) throw new Error('s3rver did not start');
      await sleep(50);
    }
  }

  async down(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async destroy(): Promise<void> {
    await this.down();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The keys of all objects, as stored on its disk. */
  async keys(): Promise<string[]> {
    const names = await readdir(join(this.directory, this.bucket), { recursive: true });
    return names
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length))
      .sort();
  }

  /** The path of an object's content. */
  fileOf(key: string): string {
    return join(this.directory, this.bucket, `${key}${suffix}`);
  }

  #listens(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => socket.destroy());
      socket.once('connect', () => socket.destroy());
    });
  }
}
