import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { connectManagers } from '../../../../src/adapters/runtimes/swarm/client/managers.ts';
import { createService, updateService } from '../../../../src/adapters/runtimes/swarm/client/services.ts';
import type { SwarmContext } from '../../../../src/adapters/runtimes/swarm/context.ts';
import { ensureSecret } from '../../../../src/adapters/runtimes/swarm/secrets.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

interface Request {
  what: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const password = 'hunter2-in-the-environment';
const spec = {
  Name: 'acme-api-1',
  Labels: {},
  TaskTemplate: { ContainerSpec: { Image: 'r/acme@sha256:1', Env: [`P=${password}`] } },
};
const requests: Request[] = [];
let version = 1;
let overtakes = 0;
let secrets: object[] = [];
const logger = createLogger({ level: 'fatal' });

/** A manager with one service, whose updates others may overtake. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const what = `${request.method} ${request.url?.replace(/^\/v1\.41/, '')}`;
  if (what !== 'GET /version') requests.push({ what, headers: request.headers, body });
  const [status, answer] = answerTo(what, body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});

function answerTo(what: string, body: string): [number, unknown] {
  if (what === 'GET /version') return [200, { Version: '20.10.24', ApiVersion: '1.41', MinAPIVersion: '1.12' }];
  if (what.startsWith('GET /services/')) return [200, { ID: 's1', Version: { Index: version }, Spec: spec }];
  if (what.startsWith('GET /secrets')) return [200, secrets];
  if (what.startsWith('POST /secrets')) {
    secrets = [{ ID: 'x', Spec: JSON.parse(body) }];
    return [201, { ID: 'x' }];
  }
  if (!what.includes('/update')) return [201, { ID: 's1' }];
  if (overtakes > 0) {
    overtakes -= 1;
    version += 1;
    return [500, { message: 'rpc error: code = Unknown desc = update out of sequence' }];
  }
  return what.includes(`version=${version}`) ? [200, {}] : [500, { message: 'wrong version' }];
}

let context: SwarmContext;
beforeEach(async () => {
  requests.length = 0;
  overtakes = 0;
  version = 7;
  secrets = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const managers = connectManagers([{ host: '127.0.0.1', port }], logger);
  const auth = { username: 'u', password: 'registry-password', serveraddress: 'r' };
  context = { ...managers, instance: 'i', logger, storage: '/s', auth };
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const decoded = (text: string | string[] = ''): string => Buffer.from(String(text), 'base64url').toString();

test('a service’s specification is in the body alone; the registry’s credentials are in their header alone', async () => {
  await createService(context, structuredClone(spec));
  await updateService(context, 's1', (found) => found.spec);
  const sent = requests.filter(({ what }) => what.startsWith('POST'));
  expect(sent.map(({ what }) => what)).toEqual([
    'POST /services/create',
    'POST /services/s1/update?version=7&registryAuthFrom=spec',
  ]);
  for (const { what, headers, body } of sent) {
    expect(JSON.parse(body)).toEqual(spec);
    expect(decodeURIComponent(what)).not.toContain(password);
    const { 'x-registry-auth': auth, ...others } = headers;
    expect(decoded(auth)).not.toContain(password);
    expect(JSON.stringify(others)).not.toContain(password);
    expect(body).not.toContain('registry-password');
    // With an update, too: the password may have changed since the service was created.
    expect(decoded(auth)).toContain('registry-password');
  }
});

test('the registry’s credentials are not sent for an image of another registry', async () => {
  for (const Image of ['busybox:1.37', 'r.example.org/acme', 'rr/acme'])
    await createService(context, { ...structuredClone(spec), TaskTemplate: { ContainerSpec: { Image } } });
  expect(requests).toHaveLength(3);
  for (const { headers } of requests) expect(decoded(headers['x-registry-auth'])).not.toContain('registry-password');
});

test('a secret’s content is in the body alone', async () => {
  const tenant = { id: 't', slug: 'acme', directory: '' };
  const secret = await ensureSecret(context, tenant, { P: password });
  expect(secret.name).toMatch(/^acme-[0-9a-f]{16}$/);
  const [sent] = requests.filter(({ what }) => what.startsWith('POST'));
  expect(sent?.what).toMatch(/^POST \/secrets\/create\??$/);
  expect(decoded(JSON.parse(sent?.body ?? '{}').Data)).toContain(password);
  await ensureSecret(context, tenant, { P: password });
  expect(requests.filter(({ what }) => what.startsWith('POST'))).toHaveLength(1);
  await expect(ensureSecret(context, tenant, { P: 'x'.repeat(500_000) })).rejects.toThrow(/500\d\d\d bytes/);
});

test('an update that another one overtook reads and decides again', async () => {
  overtakes = 2;
  let decided = 0;
  await updateService(context, 's1', (found) => {
    decided += 1;
    return found.spec;
  });
  expect([decided, version]).toEqual([3, 9]);
  overtakes = 1;
  // The other update has done it.
  await updateService(context, 's1', (found) => (decided++ === 3 ? found.spec : undefined));
  expect(decided).toBe(5);
});
