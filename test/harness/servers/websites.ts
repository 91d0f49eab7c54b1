import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIPv6 } from 'node:net';
import { createSelfSigned } from '../../../src/adapters/certificates/self-signed.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type AddressRule, addressRule } from '../../../src/lib/outbound-http/address.ts';
import type { Lookup } from '../../../src/lib/outbound-http/connect.ts';
import { siteWork } from '../proxy/sites.ts';

/** On this address the websites of tests are public; the rest of loopback stays forbidden. */
export const publicAddress = '127.0.0.2';
export const privateAddress = '127.0.0.1';

const strict = addressRule({ allowPrivate: false });

/** The application's rule, except for ports and the one address that represents the Internet. */
export const testRule: AddressRule = {
  ...strict,
  addressKind: (address) => (address === publicAddress ? undefined : strict.addressKind(address)),
  allowsPort: () => true,
};

export interface TestWebsite {
  url: string;
  port: number;
  /** Requested paths, in order. */
  asked: string[];
  /** Connections opened to it so far, with or without requests. */
  connections(): number;
  /** Sets the response of a path: a page, or a listener. */
  put(path: string, answer: string | RequestListener): void;
  stop(): Promise<void>;
}

/** Starts a website on loopback: public, unless another address is given. One with TLS signs its certificate itself. */
export async function startWebsite(options: { address?: string; tls?: boolean } = {}): Promise<TestWebsite> {
  const { address = publicAddress, tls = false } = options;
  const answers = new Map<string, string | RequestListener>();
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers.get(path) ?? ((_, missing) => missing.writeHead(404).end());
    if (typeof answer === 'string') sendHtml(response, answer);
    else answer(request, response);
  };
  const server = tls ? createTlsServer(await pemOf('site.test'), listener) : createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${address}:${port}`,
    port,
    asked,
    connections: () => connections,
    put: (path, answer) => void answers.set(path, answer),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function pemOf(name: string): Promise<{ key: string; cert: string }> {
  const [made] = await createSelfSigned({ clock: systemClock }).obtain([name], siteWork());
  if (!made) throw new Error('No certificate was made');
  return { key: made.privateKey, cert: made.chain };
}

export const sendHtml = (response: ServerResponse, html: string): void =>
  void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);

export const sendCss = (response: ServerResponse, css: string): void =>
  void response.writeHead(200, { 'content-type': 'text/css' }).end(css);

/**
 * A resolver that knows a few names. A name with several answers gives one after the other, then repeats the last; an
 * answer is a list of addresses.
 */
export function resolver(names: Record<string, string[][]>): Lookup {
  const times = new Map<string, number>();
  return (host, _options, callback) => {
    const answers = names[host];
    const time = times.get(host) ?? 0;
    times.set(host, time + 1);
    const addresses = answers?.[Math.min(time, answers.length - 1)];
    // Asynchronous, like a resolver.
    setImmediate(() => {
      if (addresses)
        callback(
          null,
          addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
        );
      else
        callback(
          Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
          [],
        );
    });
  };
}
