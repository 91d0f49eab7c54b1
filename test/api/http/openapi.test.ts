import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type ErrorCode, statusOfCode } from '../../../src/lib/errors.ts';
import { specifiedRoutes } from '../../contracts/specified-routes.ts';
import { type App, sharedApp } from '../../harness/app/app.ts';

const mediaType = z.string().regex(/^[a-z]+\/(\*|[a-z0-9.+-]+)$/);
const content = z.record(mediaType, z.strictObject({ schema: z.looseObject({}) }));
const parameter = z.looseObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().optional(),
  schema: z.looseObject({}),
});

/** The part of OpenAPI 3.1 that we use: anything else in an operation is a mistake. */
const operationObject = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(parameter).optional(),
  requestBody: z.strictObject({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), content: content.optional() }),
  ),
});
const documentObject = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.strictObject({ url: z.string() })),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z
      .record(z.enum(['get', 'post', 'put', 'delete']), operationObject)
      .or(z.partialRecord(z.enum(['get', 'post', 'put', 'delete']), operationObject)),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[\w.-]+$/), z.looseObject({})),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
});
type Operation = z.output<typeof operationObject>;

let app: App;
let document: z.output<typeof documentObject>;
let operations: [name: string, Operation][];

beforeAll(async () => {
  app = await sharedApp();
  const { body } = await app.call('GET', '/api/openapi.json', { token: null });
  document = documentObject.parse(body);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation as Operation,
    ]),
  );
});

/** Parameters may have another name in the code than in the specification. */
const shapeOf = (name: string): string => name.replaceAll(/\{\w+\}/g, '{}');

/** Every object inside a value, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<[path: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`);
}

const resolve = (reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);

describe('the specified routes', () => {
  const named = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  const present = specifiedRoutes.map(named);
  const described = () => new Set(operations.map(([name]) => shapeOf(name)));

  test('are described', () => {
    expect(present.filter((name) => !described().has(shapeOf(name)))).toEqual([]);
  });

  test('are served', async () => {
    const missing: string[] = [];
    for (const name of present) {
      const [method = '', path = ''] = name.replaceAll(/\{\w+\}/g, 'x').split(' ');
      const { status } = await app.call(method, path, { token: null });
      if (status === 404 || status === 405 || status >= 500) missing.push(`${name}: ${status}`);
    }
    expect(missing).toEqual([]);
  });
});

describe('the description', () => {
  test('has every route of the table, each with its own id', () => {
    expect(operations).toHaveLength(app.manager.routes.length);
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  });

  test('declares each path parameter, and no other', () => {
    for (const [name, { parameters = [] }] of operations) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameterName]) => parameterName);
      const declared = parameters.filter((one) => one.in === 'path');
      expect([name, declared.map((one) => one.name)]).toEqual([name, inPath]);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  test('has no broken references', () => {
    const references = [...objectsIn(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([]);
    const schemes = operations.flatMap(([, { security }]) => security.flatMap((one) => Object.keys(one)));
    expect(schemes.filter((scheme) => !(scheme in document.components.securitySchemes))).toEqual([]);
  });

  test('is JSON Schema 2020-12, not OpenAPI 3.0’s', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
    const schemas = [...objectsIn(document)].filter(
      ([path]) => /\/schemas?\//.test(path) && !path.endsWith('/properties'),
    );
    for (const [path, { type, nullable }] of schemas) {
      if (path.includes('/examples')) continue;
      expect([path, nullable]).toEqual([path, undefined]);
      if (type === undefined || typeof type === 'object') continue;
      expect([path, types.includes(String(type))]).toEqual([path, true]);
    }
  });

  test('closes every JSON request: rejects unknown fields', () => {
    const open = operations.flatMap(([name, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      if (!schema) return [];
      const resolved = (typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema) as Record<string, unknown>;
      const alternatives = (resolved.oneOf ?? [resolved]) as Record<string, unknown>[];
      return alternatives.some(({ type, additionalProperties }) => type === 'object' && additionalProperties !== false)
        ? [name]
        : [];
    });
    expect(open).toEqual([]);
  });

  test('lists the codes of each error status, all from the closed list', () => {
    for (const [name, { responses }] of operations) {
      for (const [status, { description }] of Object.entries(responses).filter(([code]) => Number(code) >= 400)) {
        const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code as ErrorCode);
        expect([name, status, codes.length > 0]).toEqual([name, status, true]);
        expect(codes.map((code) => statusOfCode[code])).toEqual(codes.map(() => Number(status)));
      }
    }
    for (const code of Object.keys(statusOfCode)) expect(document.info.description).toContain(code);
  });

  test('says who may call a route, and requires a token accordingly', () => {
    for (const { definition } of app.manager.routes) {
      const [, operation] =
        operations.find(([name]) => name === `${definition.method.toUpperCase()} ${definition.path}`) ?? [];
      expect(operation?.security.length).toBe(
        definition.access === 'public' ? 0 : 1 + Number(definition.ticket ?? 0) + Number('streamWhen' in definition),
      );
      expect(operation?.description).toMatch(/Open without a token\.|Any role\.|Role: (operator or )?admin\./);
    }
  });

  test('has both forms of a login', () => {
    const login = operations.find(([name]) => name === 'POST /api/auth/login')?.[1];
    expect(Object.keys(login?.requestBody?.content ?? {})).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
  });
});

describe('the page', () => {
  test.each(['/api/docs', '/api/docs/'])(
    '%s loads what it needs from the manager, under a strict policy',
    async (path) => {
      const response = await fetch(app.url + path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/script-src 'self'(;|$)/);
      const html = await response.text();
      // Names of XML vocabularies are not addresses that are loaded.
      expect(html.replaceAll(/http:\/\/www\.w3\.org\/\S+/g, '')).not.toMatch(/https?:|"\/\//);
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
      const assets = [...html.matchAll(/(?:src|href)="(\.[^"]+)"/g)].map(
        ([, address = '']) => new URL(address, response.url),
      );
      expect(assets.length).toBeGreaterThanOrEqual(5);
      for (const asset of assets) {
        const answer = await fetch(asset);
        expect([asset.pathname, answer.status]).toEqual([asset.pathname, 200]);
        if (asset.pathname.endsWith('swagger-ui-init.js')) {
          const script = await answer.text();
          expect(script).toContain('"validatorUrl": null');
          expect(script).toContain('/api/openapi.json');
          expect(script).not.toMatch(/https?:\/\//);
        }
      }
    },
  );
});
