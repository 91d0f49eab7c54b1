/**
 * The stub tenants of sweep.ts, in a child process: a frontend and an api each, on free loopback ports. It reports the ports over
 * IPC: frontend and api of the first tenant, of the second, and so on. The APIs of the first `ill` tenants fail.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { commit } from '../harness/seed.ts';

const health = JSON.stringify({ status: 'healthy', version: 'v1.0.0', commit });
const page = '<!doctype html><title>Contacts</title><p>A small page.</p>';

const answerOf =
  (isIll: boolean): RequestListener =>
  (request, response) => {
    const isHealth = request.url === '/api/health';
    if (isHealth && isIll) response.statusCode = 503;
    response.setHeader('content-type', isHealth ? 'application/json' : 'text/html');
    response.end(isHealth ? health : page);
  };

process.once('message', async ({ tenants, ill = 0 }: { tenants: number; ill?: number }) => {
  const ports: number[] = [];
  for (let unit = 0; unit < 2 * tenants; unit += 1) {
    const server = createServer(answerOf(unit < 2 * ill)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  process.send?.(ports);
});
process.once('disconnect', () => process.exit(0));
