import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const engineSocket = '/var/run/docker.sock';

/** A socket in front of the engine's that can be cut and restored, or made to break after so many changes. */
export class EngineProxy {
  readonly socketPath: string;
  readonly #directory: string;
  #server: Server | undefined;
  #changesLeft = Number.POSITIVE_INFINITY;

  private constructor(directory: string) {
    this.#directory = directory;
    this.socketPath = join(directory, 'docker.sock');
  }

  static async open(): Promise<EngineProxy> {
    const proxy = new EngineProxy(await mkdtemp(join(tmpdir(), 'tenantry-engine-')));
    await proxy.restore();
    return proxy;
  }

  /** From now on so many requests that change something reach the engine; all after them find the connection broken. */
  breakAfter(changes: number): void {
    this.#changesLeft = changes;
  }

  get isBroken(): boolean {
    return this.#changesLeft < 0;
  }

  /** The engine is gone: open connections end, new ones fail. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async restore(): Promise<void> {
    if (this.#server) return;
    const server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve));
    this.#server = server;
  }

  async close(): Promise<void> {
    await this.cut();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') this.#changesLeft -= 1;
    if (this.isBroken) {
      incoming.socket.destroy();
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request({ socketPath: engineSocket, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}
