import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { followProgress } from '../../../src/adapters/runtimes/engine/client/build-progress.ts';
import { TestRegistry } from '../swarm/registry.ts';

type Fault = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * A registry that asks for a Bearer token, as Docker Hub, GHCR and quay do: a proxy of Debian's docker-registry.
 * Public images: anyone gets a token. Private ones: only who sends the account's password to the token service.
 */
export class TokenRegistry {
  readonly address: string;
  readonly port: number;
  /** `GET /token`, `HEAD /v2/…`, and whether it had credentials or a token. */
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  /** Answers instead of the registry, unless it returns false. */
  fault: Fault | undefined;
  readonly #upstream: TestRegistry;
  readonly #close: () => Promise<void>;

  private constructor(address: string, upstream: TestRegistry, close: () => Promise<void>) {
    this.address = address;
    this.port = Number(address.split(':')[1]);
    this.#upstream = upstream;
    this.#close = close;
  }

  static async start(account?: { username: string; password: string }): Promise<TokenRegistry> {
    const upstream = await TestRegistry.start();
    const tokens = new Set<string>();
    let registry: TokenRegistry | undefined;
    const server = createServer((incoming, answer) => {
      const { method = '', url = '/' } = incoming;
      const { authorization } = incoming.headers;
      registry?.requests.push({ method, path: url, authorization });
      const { pathname } = new URL(url, 'http://registry');
      if (pathname === '/token') return answerToken(authorization, answer);
      if (registry?.fault && registry.fault(incoming, answer) !== false) return;
      if (!tokens.has(authorization?.replace(/^Bearer /, '') ?? '')) return demandToken(incoming, answer);
      forward(incoming, answer, upstream.address);
    });
    function answerToken(authorization: string | undefined, answer: ServerResponse): void {
      const wanted = account && `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
      if (wanted !== undefined && authorization !== wanted) return void answer.writeHead(401).end('{"details":"no"}');
      const token = randomUUID();
      tokens.add(token);
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ token, access_token: token, expires_in: 300 }));
    }
    function demandToken({ headers }: IncomingMessage, answer: ServerResponse): void {
      const realm = `http://${headers.host}/token`;
      answer.writeHead(401, {
        'www-authenticate': `Bearer realm="${realm}",service="registry",scope="repository:any:pull"`,
        'docker-distribution-api-version': 'registry/2.0',
        'content-type': 'application/json',
      });
      answer.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
    }
    // On all addresses: engines in a network of their own reach it, too.
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    registry = new TokenRegistry(address, upstream, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await upstream.close();
    });
    return registry;
  }

  /** Puts an image of these files into the registry alone. Returns its name here. */
  async put(name: string, files: Record<string, string>): Promise<string> {
    const archive = pack();
    for (const [path, content] of Object.entries(files)) archive.entry({ name: path, mode: 0o755 }, content);
    archive.finalize();
    const [repo, tag] = this.#atUpstream(name);
    const imported = docker.importImage(Readable.from(archive, { objectMode: false }), {
      repo,
      tag,
    }) as Promise<NodeJS.ReadableStream>;
    await followProgress(() => imported, silent());
    return this.#push(name);
  }

  /** Copies an image of the engine into the registry. Returns its name here. */
  async copy(image: string, name: string): Promise<string> {
    const [repo, tag] = this.#atUpstream(name);
    await docker.getImage(image).tag({ repo, tag });
    return this.#push(name);
  }

  #atUpstream(name: string): [repository: string, tag: string] {
    const [repository, tag = 'latest'] = name.split(':');
    return [`${this.#upstream.address}/${repository}`, tag];
  }

  async #push(name: string): Promise<string> {
    const image = docker.getImage(this.#atUpstream(name).join(':'));
    await followProgress(() => image.push({ authconfig: {} }), silent());
    await image.remove();
    return `${this.address}/${name}`;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

const docker = new Docker();
const silent = () => ({ log: () => undefined, signal: new AbortController().signal });

function forward(incoming: IncomingMessage, answer: ServerResponse, address: string): void {
  const { authorization: _token, ...headers } = incoming.headers;
  const { method, url } = incoming;
  const [host, port] = address.split(':');
  const upstream = request({ host, port, method, path: url, headers }, (from) => {
    answer.writeHead(from.statusCode ?? 502, from.headers);
    from.pipe(answer);
  });
  upstream.on('error', (error) => answer.destroy(error));
  incoming.pipe(upstream);
}
