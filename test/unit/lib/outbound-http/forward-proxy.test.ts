import { request } from 'node:http';
import { createConnection } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createConnect } from '../../../../src/lib/outbound-http/connect.ts';
import { type ForwardProxy, startForwardProxy } from '../../../../src/lib/outbound-http/forward-proxy.ts';
import {
  privateAddress,
  publicAddress,
  resolver,
  startWebsite,
  type TestWebsite,
  testRule,
} from '../../../harness/servers/websites.ts';

let site: TestWebsite;
let inner: TestWebsite;
let proxy: ForwardProxy;
const lookup = resolver({ 'site.test': [[publicAddress]], 'inside.test': [[privateAddress]] });
const connect = createConnect({ rule: testRule, lookup });

beforeAll(async () => {
  site = await startWebsite();
  inner = await startWebsite({ address: privateAddress });
  inner.put('/', 'inside');
  site.put('/', 'outside');
});
afterAll(() => Promise.all([site.stop(), inner.stop()]));
beforeEach(async () => {
  proxy = await startForwardProxy({ connect, maxBytes: 100_000, maxConnections: 3 });
  proxy.begin();
});

afterEach(() => proxy.close());

/** The response to bytes sent to the proxy, until it closes. */
function say(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection({ host: '127.0.0.1', port: proxy.port });
    socket.setEncoding('latin1').on('data', (piece) => {
      answer += piece;
    });
    socket.on('error', () => undefined).on('close', () => resolve(answer));
    socket.write(text);
  });
}

const close = 'connection: close\r\n\r\n';

describe('the browser’s proxy', () => {
  test('forwards a plain request without the proxy’s own headers', async () => {
    site.put('/echo', (asked, response) => {
      asked
        .setEncoding('utf8')
        .on('data', (body) =>
          response.end(JSON.stringify([asked.method, asked.headers.host, Object.keys(asked.headers), body])),
        );
    });
    const body = await new Promise<string>((resolve, reject) => {
      const asking = request({
        port: proxy.port,
        host: '127.0.0.1',
        method: 'POST',
        path: `http://site.test:${site.port}/echo`,
        headers: { host: 'elsewhere.test', 'proxy-authorization': 'x', 'x-own': 'y', 'content-length': 5 },
      });
      asking.on('error', reject).on('response', (answer) => answer.setEncoding('utf8').on('data', resolve));
      asking.end('hello');
    });
    const [method, host, names, sent] = JSON.parse(body);
    expect([method, host, sent]).toEqual(['POST', `site.test:${site.port}`, 'hello']);
    expect(names).toContain('x-own');
    expect(names).not.toContain('proxy-authorization');
  });

  test('opens a tunnel', async () => {
    const answer = await say(`CONNECT site.test:${site.port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n${close}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK\r\n.*outside/s);
  });

  test('rejects and reports private addresses in every form', async () => {
    const hosts = ['inside.test', privateAddress, '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost'];
    for (const host of hosts) {
      expect(await say(`CONNECT ${host}:${inner.port} HTTP/1.1\r\n${close}`)).toBe('HTTP/1.1 403 Forbidden\r\n\r\n');
      expect(await say(`GET http://${host}:${inner.port}/ HTTP/1.1\r\nhost: site.test\r\n${close}`)).toBe('');
    }
    expect(inner.connections()).toBe(0);
    expect(proxy.refusals).toHaveLength(2 * hosts.length);
  });

  test('gives no response to what is not a proxy request', async () => {
    for (const line of [
      `GET / HTTP/1.1`,
      `GET https://site.test/ HTTP/1.1`,
      `GET http://a:b@site.test:${site.port}/ HTTP/1.1`,
    ])
      expect(await say(`${line}\r\nhost: inside.test:${inner.port}\r\n${close}`)).toBe('');
    expect(await say(`CONNECT site.test HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 400/);
    expect(await say('nonsense\r\n\r\n')).toBe('');
    expect(inner.connections()).toBe(0);
  });

  test('ends the connection of a response that can be read but not written again', async () => {
    for (const line of ['200 O\x01K', '200 O\x7fK', '099 Low', '000 None']) {
      site.put('/odd', ({ socket }) => void socket.end(`HTTP/1.1 ${line}\r\n\r\nodd`));
      expect(await say(`GET http://site.test:${site.port}/odd HTTP/1.1\r\nhost: x\r\n${close}`)).toBe('');
    }
    expect(await say(`GET http://site.test:${site.port}/ HTTP/1.1\r\nhost: x\r\n${close}`)).toContain('outside');
  });

  test('limits bytes and connections; afterwards it forwards nothing', async () => {
    site.put('/large', (_, response) => void response.end(Buffer.alloc(10 * 1024 ** 2)));
    const large = await say(
      `CONNECT site.test:${site.port} HTTP/1.1\r\n\r\nGET /large HTTP/1.1\r\nhost: x\r\n${close}`,
    );
    expect(large.length).toBeLessThan(1024 ** 2);
    expect(proxy.exhausted).toBe(true);
    expect(await say(`CONNECT site.test:${site.port} HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 403/);
  });

  test('connects to nothing before the page is opened, nor for the browser itself', async () => {
    const early = await startForwardProxy({ connect, maxBytes: 1_000, maxConnections: 3 });
    const late = proxy;
    proxy = early;
    expect(await say(`CONNECT site.test:${site.port} HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 403/);
    proxy = late;
    expect(await say(`CONNECT update.googleapis.com:443 HTTP/1.1\r\n${close}`)).toMatch(/^HTTP\/1\.1 403/);
    expect([...early.refusals, ...late.refusals]).toEqual([]);
    await early.close();
  });
});
