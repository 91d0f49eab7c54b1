import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { statusOfCode } from '../../../src/lib/errors.ts';
import { errorBody } from '../../../src/lib/http/responses/errors.ts';
import type { RouteDefinition } from '../../../src/lib/http/routing/route.ts';
import { type App, startApp } from '../../harness/app/app.ts';

/** Repeat the same requests: `FUZZ_SEED=<seed> npm test`. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const requests = 5_000;
/** Number of concurrent requests. */
const together = 8;

interface Malformed {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Sends fewer bytes than Content-Length says, then closes the connection. */
  cutOff: boolean;
}

interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

let app: App;
let table: RouteDefinition[];
let apiToken: string;
const knownIds: string[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

beforeAll(async () => {
  app = await startApp();
  // A random logout must not end the run.
  const made = await app.call<{ token: string }>('POST', '/api/auth/tokens', { body: { name: 'fuzz' } });
  apiToken = made.body.token;
  const tenant = await app.call<{ id: string }>('POST', '/api/tenants', {
    body: { name: 'Fuzz', slug: 'fuzz', domain: 'fuzz.example.org', api_domain: 'api.fuzz.example.org' },
  });
  const me = await app.call<{ id: string }>('GET', '/api/auth/me');
  knownIds.push(tenant.body.id, me.body.id, 'health_check_interval', 'ai_provider_api_key');
  // A random deletion of shared records would make the other requests useless.
  table = app.manager.routes
    .map((route) => route.definition)
    .filter(({ method, path }) => `${method} ${path}` !== 'delete /api/tenants/{id}');
});
afterAll(async () => {
  agent.destroy();
  await app.stop();
});

const evilText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\u202e\ufeff',
    '\ud800',
    '𝕬'.repeat(50),
    '../../etc/passwd',
    '--upload-pack=touch /tmp/x',
    "' OR 1=1 --",
    '{{7*7}}',
    '%00',
    'x'.repeat(20_000),
    '__proto__',
    'constructor',
    'NaN',
    '1e999',
    '-1',
    '9007199254740993',
    '2026-02-30T25:61:00Z',
    'true',
  ),
);
const evilNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, -1, 2 ** 31, 2 ** 53, 2 ** 64, 1e308, 5e-324, 65_536),
);
const evilValue: fc.Arbitrary<unknown> = fc.oneof(
  { depthSize: 'small', maxDepth: 4 },
  evilText,
  evilNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 4 }),
);
const deep = fc
  .integer({ min: 50, max: 20_000 })
  .chain((depth) =>
    fc.constantFrom(
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      `{"custom_env":${'{"A":'.repeat(depth)}"x"${'}'.repeat(depth)}}`,
    ),
  );
const pollution = fc.constantFrom(
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"toString":"x","hasOwnProperty":1}',
  '{"custom_env":{"__proto__":"x","constructor":"y"}}',
  '{"a":1,"a":2}',
);

/** A body with some of the fields that the route knows, with mostly invalid values. */
const fieldsOf = (definition: RouteDefinition): string[] => {
  const shape = (definition.body as { shape?: Record<string, unknown> } | undefined)?.shape;
  return shape ? Object.keys(shape) : [];
};
const bodyFor = (definition: RouteDefinition): fc.Arbitrary<string> => {
  const names = fc.oneof(fc.constantFrom('x', '__proto__', 'id', ...fieldsOf(definition)), evilText);
  const guided = fc.dictionary(names, evilValue, { maxKeys: 6 }).map((value) => JSON.stringify(value));
  const known = fieldsOf(definition);
  const complete = fc
    .tuple(...known.map(() => evilValue))
    .map((values) => JSON.stringify(Object.fromEntries(known.map((name, at) => [name, values[at]]))));
  return fc.oneof(
    { weight: 4, arbitrary: guided },
    { weight: 4, arbitrary: complete },
    { weight: 1, arbitrary: evilValue.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: deep },
    { weight: 1, arbitrary: pollution },
    { weight: 1, arbitrary: guided.map((text) => text.slice(0, -1)) },
    { weight: 1, arbitrary: evilText },
    { weight: 1, arbitrary: fc.constant(`{"name":"${'x'.repeat(1_200_000)}"}`) },
  );
};

const contentTypes = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
      'application/json; charset=utf-16',
      'application/json; charset=klingon',
      'application/json;;;',
      'application/vnd.api+json',
      '/',
      'é',
    ),
  },
);
const oddHeaders = fc.dictionary(
  fc.constantFrom(
    'Content-Encoding',
    'X-Request-Id',
    'Accept',
    'Origin',
    'If-None-Match',
    'Range',
    'Last-Event-ID',
    'Expect',
  ),
  fc.constantFrom(
    'gzip',
    'br',
    'zstd',
    'compress',
    'x'.repeat(300),
    '*/*',
    'http://evil.example',
    '99999999999',
    '-1',
    'bytes=0-',
    'a b',
  ),
  { maxKeys: 2 },
);
const queries = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc
      .dictionary(
        fc.constantFrom(
          'limit',
          'offset',
          'status',
          'search',
          'lines',
          'service',
          'level',
          'category',
          'tenant_id',
          'dry_run',
          'remove_files',
          '__proto__',
          'access_token',
        ),
        evilText,
        { maxKeys: 3 },
      )
      .map(
        (entries) =>
          `?${new URLSearchParams(Object.entries(entries).map(([k, v]): [string, string] => [k, v.slice(0, 2_000)]))}`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('?', '?limit[]=1', '?limit=1&limit=2', '?%', '?=%E0%A4%A', '?a=%00&&&=', '?limit=٣'),
  },
);
const segments = fc.oneof(
  { weight: 4, arbitrary: fc.nat().map((at) => knownIds[at % knownIds.length] ?? '') },
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: evilText.map((text) => encodeURIComponent(text.toWellFormed().slice(0, 500)) || 'x') },
  { weight: 1, arbitrary: fc.constantFrom('%', '%E0%A4%A', '..', '%2e%2e', '%2F', '%00', 'a%0d%0ab') },
);
const credentials = fc.oneof(
  { weight: 9, arbitrary: fc.constant('good') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'Bearer',
      'Basic eDp5',
      'Bearer a b',
      `Bearer ${'x'.repeat(5_000)}`,
      'bearer eyJ.eyJ.x',
    ),
  },
);

const malformed: fc.Arbitrary<Malformed> = fc.nat().chain((at) => {
  const definition = table[at % table.length] as RouteDefinition;
  const parameters = [...definition.path.matchAll(/\{\w+\}/g)].length;
  return fc
    .record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(definition.method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom('PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'HEAD', 'QUERY') },
      ),
      values: fc.array(segments, { minLength: parameters, maxLength: parameters }),
      query: queries,
      contentType: contentTypes,
      more: oddHeaders,
      credential: credentials,
      body: bodyFor(definition),
      cutOff: fc.integer({ min: 0, max: 39 }).map((chance) => chance === 0),
    })
    .map(({ method, values, query, contentType, more, credential, body, cutOff }) => {
      let used = 0;
      const path = definition.path.replaceAll(/\{\w+\}/g, () => values[used++] ?? 'x');
      const bytes = definition.method === 'get' || method === 'TRACE' ? Buffer.alloc(0) : Buffer.from(body);
      return {
        method,
        path: onTheWire(path + query),
        headers: {
          ...(bytes.length > 0 ? { 'Content-Type': onTheWire(contentType) } : {}),
          ...more,
          ...(credential === '' ? {} : { Authorization: credential === 'good' ? `Bearer ${apiToken}` : credential }),
        },
        body: bytes,
        cutOff: cutOff && bytes.length > 1,
      };
    });
});

/** Characters as the UTF-8 bytes that careless clients send. */
const onTheWire = (text: string): string => Buffer.from(text).toString('latin1');

/** The response; undefined if the server correctly closed an interrupted connection. */
function send({ method, path, headers, body, cutOff }: Malformed): Promise<Got | undefined> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { hostname, port, method, path, agent, headers: { ...headers, 'Content-Length': String(body.length) } },
      (response) => {
        const chunks: Buffer[] = [];
        const done = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          // A stream that stays open has started well: that is enough.
          if (response.headers['content-type']?.startsWith('text/event-stream')) {
            response.destroy();
            done();
          }
        });
        response.on('end', done);
        response.on('error', reject);
      },
    );
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error('no answer in 20 s')));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A body that is rejected unread may meet a closed connection.
      if (cutOff || ['EPIPE', 'ECONNRESET'].includes(error.code ?? '')) resolve(undefined);
      else reject(error);
    });
    if (cutOff) {
      outgoing.write(body.subarray(0, body.length >> 1));
      setTimeout(() => outgoing.destroy(), 5);
    } else {
      outgoing.end(body);
    }
  });
}

/** What is wrong with a response; undefined: nothing. */
function fault(method: string, { status, headers, text }: Got): string | undefined {
  if (!headers['x-request-id']) return 'no request id';
  if (status === 500) return 'an internal error';
  if (status < 400 || method === 'HEAD') return undefined;
  const json = errorBody.safeParse(JSON.parse(text));
  if (!json.success) return `not the shape of errors: ${json.error.message}`;
  if (json.data.code === 'validation_error' && !json.data.issues?.length) return 'validation_error without issues';
  return statusOfCode[json.data.code] === status ? undefined : `${json.data.code} with status ${status}`;
}

test(
  `no malformed request is an internal error (seed ${seed})`,
  async () => {
    console.log(`fuzz seed: ${seed}`);
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(malformed, { minLength: together, maxLength: together }), async (batch) => {
        const answers = await Promise.all(batch.map(async (request) => ({ request, got: await send(request) })));
        for (const { request, got } of answers) {
          seen.set(got?.status ?? 0, (seen.get(got?.status ?? 0) ?? 0) + 1);
          const wrong = got && fault(request.method, got);
          if (wrong)
            throw new Error(`${wrong}: ${request.method} ${request.path} → ${got.status} ${got.text.slice(0, 500)}`);
        }
      }),
      { seed, numRuns: requests / together },
    );
    // The requests reached their targets.
    console.log(`answers by status (0: none): ${JSON.stringify(Object.fromEntries(seen))}`);
    for (const status of [400, 401, 404, 405, 413, 415]) expect(seen.get(status) ?? 0).toBeGreaterThan(10);
    expect(seen.get(0) ?? 0).toBeLessThan(requests / 20);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  },
  15 * 60_000,
);
