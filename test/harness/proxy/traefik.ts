import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ReverseProxy } from '../../../src/adapters/proxies/proxy.ts';
import type { TraefikProxyOptions } from '../../../src/adapters/proxies/traefik/options.ts';
import { createTraefikProxy } from '../../../src/adapters/proxies/traefik/traefik-proxy.ts';
import { createLogger } from '../../../src/lib/logger.ts';

const kinds = ['routers', 'services', 'middlewares'] as const;
type Kind = (typeof kinds)[number];

interface StubElement extends Record<string, unknown> {
  name: string;
  status: string;
  error?: string[];
}

type Elements = Record<Kind, Map<string, StubElement>>;

/**
 * A stub of Traefik for the adapter: its API, computed from the files of the directory as its file provider reads
 * them (all, or the previous ones if one cannot be read), and the headers of a site's responses. Responses have the
 * form of `pkg/api` of Traefik 3.
 */
export class TraefikStub {
  readonly directory: string;
  apiUrl = '';
  /** Whether it watches the directory. */
  watches = true;
  /** The number of requests that it answers before it loads changes. */
  delay = 0;
  version = '3.7.13';
  entryPoints = ['traefik', 'web', 'websecure'];
  /** Options of its entry points, by name. */
  options: Record<string, object> = {};
  /** If set, the API requires it: `user:password`. */
  credentials: string | undefined;
  /** Errors by `kind/name`. */
  readonly errors = new Map<string, string[]>();
  /** Every requested address of the API. */
  readonly asked: string[] = [];
  readonly #api: Server;
  readonly #web: Server;
  #elements: Elements = {
    routers: new Map(),
    services: new Map(),
    middlewares: new Map(),
  };

  static async start(): Promise<TraefikStub> {
    const stub = new TraefikStub(await mkdtemp(join(tmpdir(), 'traefik-')));
    for (const server of [stub.#api, stub.#web]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    stub.apiUrl = `http://127.0.0.1:${portOf(stub.#api)}`;
    return stub;
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.#api = createServer((request, response) => void this.#answerApi(request, response));
    this.#web = createServer((request, response) => void this.#answerVisitor(request, response));
  }

  get sites(): string {
    return join(this.directory, 'sites');
  }

  /** An opened adapter. It knows the API; with `visited` also the visitors' address. */
  async proxy(changes: Partial<TraefikProxyOptions> = {}, visited = false): Promise<ReverseProxy> {
    const httpPort = portOf(this.#web);
    const proxy = createTraefikProxy({
      directory: this.directory,
      certificateResolver: 'letsencrypt',
      api: { url: this.apiUrl },
      visited: visited ? { address: '127.0.0.1', httpPort, httpsPort: httpPort } : undefined,
      proofTimeoutMs: 2_000,
      logger: createLogger({ level: 'fatal' }),
      ...changes,
    });
    await proxy.open();
    return proxy;
  }

  async stopApi(): Promise<void> {
    await closed(this.#api);
  }

  async destroy(): Promise<void> {
    await Promise.all([closed(this.#api), closed(this.#web)]);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #takeUp(): Promise<void> {
    if (!this.watches) return;
    this.delay -= 1;
    if (this.delay >= 0) return;
    const elements: Elements = { routers: new Map(), services: new Map(), middlewares: new Map() };
    for (const file of (await readdir(this.sites)).filter((name) => name.endsWith('.yml')).sort()) {
      const config = decode(await readFile(join(this.sites, file), 'utf8').catch(() => ''));
      // If one file cannot be read, none is loaded.
      if (!config) return;
      for (const kind of kinds) {
        for (const [name, element] of Object.entries(config.http?.[kind] ?? {})) {
          // The first of two with the same name wins.
          if (elements[kind].has(name)) continue;
          elements[kind].set(name, { ...element, name: `${name}@file`, provider: 'file', status: 'enabled' });
        }
      }
    }
    this.#elements = elements;
  }

  async #answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.apiUrl);
    this.asked.push(url.pathname);
    const wanted = this.credentials && `Basic ${Buffer.from(this.credentials).toString('base64')}`;
    if (wanted && request.headers.authorization !== wanted) return reply(response, 401, 'Unauthorized');
    await this.#takeUp();
    if (url.pathname === '/api/version') return reply(response, 200, { Version: this.version, Codename: 'stub' });
    if (url.pathname === '/api/entrypoints')
      return reply(
        response,
        200,
        this.entryPoints.map((name) => ({ name, ...this.options[name] })),
      );
    const [, kind, name] = /^\/api\/http\/(routers|services|middlewares)(?:\/(.+)@file)?$/.exec(url.pathname) ?? [];
    if (kind === undefined) return reply(response, 404, { message: 'not found' });
    const reported = [...this.#elements[kind as Kind].values()].map((element) => this.#withErrors(kind, element));
    if (name !== undefined) {
      const element = reported.find((one) => one.name === `${name}@file`);
      return element ? reply(response, 200, element) : reply(response, 404, { message: `not found: ${name}@file` });
    }
    const perPage = Math.min(Number(url.searchParams.get('per_page') ?? '100'), 10);
    const page = Number(url.searchParams.get('page') ?? '1');
    const others = [{ name: 'api@internal', provider: 'internal', status: 'disabled', error: ['not of a file'] }];
    const all = [...others, ...reported];
    response.setHeader('x-next-page', page * perPage < all.length ? page + 1 : 1);
    return reply(response, 200, all.slice((page - 1) * perPage, page * perPage));
  }

  #withErrors(kind: string, element: StubElement): StubElement {
    const error = this.errors.get(`${kind}/${element.name.replace('@file', '')}`);
    return error ? { ...element, status: 'disabled', error } : element;
  }

  /** As a router with the headers middleware first: every response has the header. */
  async #answerVisitor(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#takeUp();
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const router = [...this.#elements.routers.values()].find(({ rule }) => rule === `Host(\`${host}\`)`);
    if (!router) return reply(response, 404, '404 page not found');
    for (const name of router.middlewares as string[]) {
      const { headers } = (this.#elements.middlewares.get(name) ?? {}) as {
        headers?: { customResponseHeaders?: Record<string, string> };
      };
      for (const [header, value] of Object.entries(headers?.customResponseHeaders ?? {}))
        response.setHeader(header, value);
    }
    return reply(response, 502, 'Bad Gateway');
  }
}

/** undefined if Traefik could not decode it: invalid YAML, or an unknown key. */
function decode(text: string): { http?: Partial<Record<Kind, Record<string, object>>> } | undefined {
  try {
    return text.includes('noSuchKey') ? undefined : (parse(text) ?? {});
  } catch {
    return undefined;
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function reply(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' })
    .end(text);
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
