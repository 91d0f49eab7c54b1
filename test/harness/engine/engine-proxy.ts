import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

const defaultEngine = '/var/run/docker.sock';

interface Hold {
  wanted: RegExp;
  reached: PromiseWithResolvers<void>;
  released: PromiseWithResolvers<void>;
}

interface Change {
  wanted: RegExp;
  // biome-ignore lint/suspicious/noExplicitAny: the engine's JSON, of which a test knows what it changes
  change(body: any): unknown;
}

/**
 * A socket in front of the engine's that can be cut and restored, made to break after a number of changes, or to
 * hang.
 */
export class EngineProxy {
  readonly socketPath: string;
  /** Every received request, such as `POST /v1.41/build?…`. */
  readonly requests: string[] = [];
  readonly #directory: string;
  #server: Server | undefined;
  #changesLeft = Number.POSITIVE_INFINITY;
  #holds: Hold[] = [];
  /** How far the engine's clock seems to be ahead. */
  clockAheadMs = 0;
  /** Changes the JSON of answers to requests such as `GET /version`: an engine that is another one. */
  changeAnswer: Change | undefined;
  /** Changes the JSON that requests such as `POST /containers/create…` send. */
  changeRequest: Change | undefined;
  #refusal: { wanted: RegExp; times: number; message: string } | undefined;
  readonly #events = new Set<ServerResponse>();
  readonly #open = new Map<ServerResponse, { requested: string; answer: IncomingMessage }>();

  readonly #engine: string;

  private constructor(directory: string, engine: string) {
    this.#directory = directory;
    this.#engine = engine;
    this.socketPath = join(directory, 'docker.sock');
  }

  /** @param engine the engine's socket */
  static async open(engine = defaultEngine): Promise<EngineProxy> {
    const proxy = new EngineProxy(await mkdtemp(join(tmpdir(), 'tenantry-engine-')), engine);
    await proxy.restore();
    return proxy;
  }

  /**
   * From now on this number of requests that change something reach the engine; all later ones find the connection
   * broken.
   */
  breakAfter(changes: number): void {
    this.#changesLeft = changes;
  }

  /**
   * From now on requests such as `POST /containers/…/rename` hang before they reach the engine, until they are released.
   * `reached` resolves with the first of them.
   */
  hold(wanted: RegExp): { reached: Promise<void>; release(): void } {
    const hold = { wanted, reached: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
    this.#holds.push(hold);
    return {
      reached: hold.reached.promise,
      release: () => {
        this.#holds = this.#holds.filter((other) => other !== hold);
        hold.released.resolve();
      },
    };
  }

  /**
   * Answers a number of requests such as `POST /containers/…/pause` with 500 and the message, like an engine that
   * failed.
   */
  refuse(wanted: RegExp, times: number, message: string): void {
    this.#refusal = { wanted, times, message };
  }

  /** Breaks the event streams only. */
  breakEvents(): void {
    for (const stream of this.#events) stream.destroy();
  }

  /** The open answers to such requests, for example `GET /tasks/…/logs`, stay open and bring nothing more: a lost node. */
  silence(wanted: RegExp): number {
    const silenced = [...this.#open].filter(([, { requested }]) => wanted.test(requested));
    for (const [outgoing, { answer }] of silenced) answer.unpipe(outgoing).resume();
    return silenced.length;
  }

  get isBroken(): boolean {
    return this.#changesLeft < 0;
  }

  /** The engine is unavailable: open connections end, new ones fail. */
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
    const server = createServer((incoming, outgoing) => void this.#receive(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve));
    this.#server = server;
  }

  async close(): Promise<void> {
    await this.cut();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // Without the version of the API.
    const requested = `${incoming.method} ${incoming.url?.replace(/^\/v1\.\d+/, '')}`;
    this.requests.push(requested);
    const hold = this.#holds.find(({ wanted }) => wanted.test(requested));
    hold?.reached.resolve();
    await hold?.released.promise;
    // The client has given up.
    if (outgoing.closed) return;
    if (incoming.url?.includes('/events')) {
      this.#events.add(outgoing);
      outgoing.on('close', () => this.#events.delete(outgoing));
    }
    this.#pass(incoming, outgoing, requested);
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, requested: string): void {
    if (incoming.method !== 'GET' && incoming.method !== 'HEAD') this.#changesLeft -= 1;
    if (this.isBroken) {
      incoming.socket.destroy();
      return;
    }
    const { method, url } = incoming;
    const { 'content-length': _length, ...others } = incoming.headers;
    const headers = this.changeRequest?.wanted.test(requested) ? others : incoming.headers;
    if (this.#refusal && this.#refusal.times > 0 && this.#refusal.wanted.test(requested)) {
      this.#refusal.times -= 1;
      incoming.resume();
      outgoing.writeHead(500, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ message: this.#refusal.message }));
      return;
    }
    const onward = request({ socketPath: this.#engine, method, path: url, headers }, (answer) => {
      const change = this.#changeOf(requested);
      if (change) {
        void passChanged(answer, outgoing, change);
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      this.#open.set(outgoing, { requested, answer });
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => {
      this.#open.delete(outgoing);
      onward.destroy();
    });
    if (!this.changeRequest?.wanted.test(requested)) incoming.pipe(onward);
    else void json(incoming).then((sent) => onward.end(JSON.stringify(this.changeRequest?.change(sent))));
  }

  #changeOf(requested: string): Change['change'] | undefined {
    if (this.clockAheadMs !== 0 && requested.endsWith('/info'))
      return (info: { SystemTime: string }) => ({
        ...info,
        SystemTime: new Date(Date.parse(info.SystemTime) + this.clockAheadMs).toISOString(),
      });
    return this.changeAnswer?.wanted.test(requested) ? this.changeAnswer.change : undefined;
  }
}

async function passChanged(answer: IncomingMessage, outgoing: ServerResponse, change: Change['change']): Promise<void> {
  const changed = change(await json(answer));
  outgoing.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(changed));
}
