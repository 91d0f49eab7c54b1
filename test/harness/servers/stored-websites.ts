import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { websiteFiles } from '../../fixtures/websites/websites.ts';

export interface StoredWebsites {
  /** The address of a page of `test/fixtures/websites`. */
  of(name: string): string;
  /** Handles a path. */
  at(path: string, answer: (response: ServerResponse) => void): string;
  /** The requested paths. */
  asked: string[];
  close(): Promise<void>;
}

/** Serves the stored websites on loopback, each in its own folder. */
export async function serveStoredWebsites(): Promise<StoredWebsites> {
  const byHand = new Map<string, (response: ServerResponse) => void>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://website.test').pathname;
    asked.push(path);
    const answer = byHand.get(path);
    if (answer) return answer(response);
    const file = websiteFiles.get(path.slice(1) + (path.endsWith('/') ? 'index.html' : ''));
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': file.type });
    response.end(file.content);
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
