import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Account {
  username: string;
  password: string;
}

/**
 * Serves a folder of repositories by git's own http-backend, and their LFS objects by a stand-in for the LFS server of a git
 * host: the batch API at `<repository>/info/lfs/objects/batch`, downloads from `/objects/<oid>` with a token of their own.
 */
export class GitServer {
  readonly origin: string;
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  /** Contents by their SHA-256. */
  readonly objects = new Map<string, Buffer>();
  /** Answers instead of the server, unless it returns false. */
  fault: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined;
  /** Whether clients may use protocol 2, which serves any commit by its id. */
  protocol2 = true;
  readonly #server: Server;
  readonly #directory: string;
  readonly #account: Account | undefined;

  private constructor(server: Server, directory: string, account: Account | undefined) {
    const { address, port } = server.address() as AddressInfo;
    this.origin = `http://${address}:${port}`;
    this.#server = server;
    this.#directory = directory;
    this.#account = account;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(directory: string, { host = '127.0.0.1', account }: { host?: string; account?: Account } = {}) {
    const server = createServer().listen(0, host);
    await new Promise((resolve) => server.once('listening', resolve));
    return new GitServer(server, directory, account);
  }

  /** The origin with the account's credentials. */
  get signedIn(): string {
    const { username = '', password = '' } = this.#account ?? {};
    return this.origin.replace('//', `//${username}:${password}@`);
  }

  /** Stores a content. Returns its pointer. */
  keep(content: string | Buffer): string {
    const bytes = Buffer.from(content);
    const oid = createHash('sha256').update(bytes).digest('hex');
    this.objects.set(oid, bytes);
    return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '/' } = request;
    const { authorization } = request.headers;
    const { pathname, searchParams } = new URL(url, this.origin);
    this.requests.push({ method, path: pathname, authorization });
    if (this.fault && this.fault(request, response) !== false) return;
    if (pathname.startsWith('/objects/')) {
      const content = this.objects.get(pathname.slice('/objects/'.length));
      if (authorization !== 'RemoteAuth token-of-the-object' || !content) return void response.writeHead(403).end();
      return void response.end(content);
    }
    const basic =
      this.#account && Buffer.from(`${this.#account.username}:${this.#account.password}`).toString('base64');
    if (basic !== undefined && authorization !== `Basic ${basic}`)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    if (pathname.endsWith('/info/lfs/objects/batch')) return void this.#batch(request, response);
    this.#runBackend(request, response, pathname, searchParams);
  }

  async #batch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const type = 'application/vnd.git-lfs+json';
    const { 'content-type': sent, accept } = request.headers;
    const { operation, objects } = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
    if (!sent?.startsWith(type) || accept !== type || operation !== 'download')
      return void response.writeHead(422).end();
    const answers = objects.map(({ oid, size }: { oid: string; size: number }) =>
      this.objects.has(oid)
        ? {
            oid,
            size,
            authenticated: true,
            actions: {
              download: {
                href: `${this.origin}/objects/${oid}`,
                header: { Authorization: 'RemoteAuth token-of-the-object' },
                expires_in: 3_600,
              },
            },
          }
        : { oid, size, error: { code: 404, message: 'Object does not exist' } },
    );
    response.writeHead(200, { 'content-type': type }).end(JSON.stringify({ transfer: 'basic', objects: answers }));
  }

  #runBackend(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): void {
    const { headers } = request;
    const backend = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: this.#directory,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: path,
        QUERY_STRING: query.toString(),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding']?.toString() ?? '',
        GIT_PROTOCOL: this.protocol2 ? (headers['git-protocol']?.toString() ?? '') : '',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    backend.stdin.on('error', () => undefined);
    request.pipe(backend.stdin);
    let head: Buffer | undefined = Buffer.alloc(0);
    backend.stdout.on('data', (chunk: Buffer) => {
      if (head === undefined) return void response.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const lines = head.subarray(0, end).toString().split('\r\n');
      const sent = lines.map((line) => line.split(/: */, 2) as [string, string]);
      const status = Number(sent.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200);
      response.writeHead(status, Object.fromEntries(sent.filter(([name]) => name !== 'Status')));
      response.write(head.subarray(end + 4));
      head = undefined;
    });
    backend.once('close', () => response.end());
  }
}
