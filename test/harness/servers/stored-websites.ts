import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

export interface StoredWebsites {
  /** Where a page of `bench/websites` is served. */
  of(name: string): string;
  /** Answers a path by hand. */
  at(path: string, answer: (response: ServerResponse) => void): string;
  /** The paths that were asked for. */
  asked: string[];
  close(): Promise<void>;
}

const folder = join(import.meta.dirname, '..', '..', '..', 'bench', 'websites');
const types: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** Serves the stored websites on loopback, each in a folder of its own. */
export async function serveStoredWebsites(): Promise<StoredWebsites> {
  const byHand = new Map<string, (response: ServerResponse) => void>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://website.test').pathname;
    asked.push(path);
    const answer = byHand.get(path);
    if (answer) return answer(response);
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    of: (name) => `${origin}/${name}/`,
    at(path, answer) {
      byHand.set(path, answer);
      return origin + path;
    },
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
