// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of steps look like those of JavaScript
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readManifest } from '../../../../src/features/deployments/manifest.ts';

const start = `version: 1
units:
  api: { start: node api.js, port: 8000, health: /api/health }
  frontend: { start: node frontend.js, port: 3000, health: / }
checks:
`;
const check = (step: string): string => `  - { name: Sign in, steps: [{ name: Ask, unit: api, ${step} }] }\n`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-checks-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(checks: string) {
  await writeFile(join(directory, 'tenant.yaml'), start + checks);
  return (await readManifest(directory, 'start')).checks;
}

describe('checks in the manifest', () => {
  test('are read with their defaults', async () => {
    expect(await read(check('path: /api/me?full=1, expect: { status: 200 }'))).toEqual([
      {
        name: 'Sign in',
        cleanup: [],
        steps: [
          {
            name: 'Ask',
            unit: 'api',
            method: 'GET',
            path: '/api/me?full=1',
            headers: {},
            expect: { status: [200] },
            capture: {},
            timeout_s: 10,
            max_answer_kb: 256,
          },
        ],
      },
    ]);
  });

  test('are an empty list without the field', async () => {
    expect(await read('  []\n')).toEqual([]);
  });

  test.each([
    'http://manager.internal:32201/api/settings',
    '//evil.example/steal',
    '/\\evil.example',
    'api/me',
    '/a b',
    '/a#b',
    '"/a\\r\\nHost: evil.example"',
    '"${env.FRONTEND_URL}/x"',
  ])('reject a path that could name another host: %s', async (path) => {
    await expect(read(check(`path: ${path.startsWith('"') ? path : JSON.stringify(path)}`))).rejects.toThrow(
      /^tenant\.yaml: checks\.0\.steps\.0\.path: must be a path/,
    );
  });

  test.each(['Host', 'content-length', 'Transfer-Encoding', 'cookie', 'X-Forwarded-Host', 'proxy-authorization'])(
    'reject the header %s',
    async (name) => {
      await expect(read(check(`path: /, headers: { ${name}: a }`))).rejects.toThrow(
        new RegExp(`^tenant\\.yaml: checks\\.0\\.steps\\.0\\.headers\\.${name}: This header is set by the manager`),
      );
    },
  );

  test.each([
    ['unit: manager', 'unit', /"api"\|"frontend"/],
    ['path: /, surprise: 1', 'steps.0', /Unrecognized key: "surprise"/],
    ['path: /, method: TRACE', 'method', /GET/],
    ['path: /, json: { a: 1 }', 'method', /needs POST/],
    ['path: /, method: POST, json: 1, form: { a: b }', 'form', /either json or form/],
    ['path: /, timeout_s: 31', 'timeout_s', /<=30/],
    ['path: /, max_answer_kb: 2000', 'max_answer_kb', /<=1024/],
    ['path: /, expect: { status: [200, 700] }', 'expect.status.1', /<=599/],
    ['path: /, expect: { json: { a..b: 1 } }', 'expect.json.a..b', /separated by dots/],
    ['path: /, expect: { json: { a: [1] } }', 'expect.json.a', /must be a text, a number/],
    ['path: /, capture: { Id: { json: id } }', 'capture.Id', /small letter/],
    ['path: /, capture: { id: { json: id, header: x } }', 'capture.id', /either json or header/],
    ['path: "/p/${id}"', 'path', /neither \$\{env\.NAME\}, \$\{run\} nor captured by an earlier step/],
    ['path: "/${env.}"', 'path', /neither/],
    ['path: /, method: POST, json: { a: ["${process.env.SECRET_KEY}"] }', 'json', /neither/],
  ])('reject %s and name the field', async (step, field, message) => {
    const text = step.startsWith('unit') ? check('path: /').replace('unit: api', step) : check(step);
    const error = await read(text).catch((reason: Error) => reason);
    expect(String(error)).toContain(field);
    expect(String(error)).toMatch(message);
  });

  test('reject more than 20 steps in all checks together', async () => {
    const one = (name: number): string =>
      `  - { name: c${name}, steps: [${Array.from({ length: 7 }, (_, at) => `{ name: s${at}, unit: api, path: / }`).join(', ')}] }\n`;
    expect(await read(one(1) + one(2))).toHaveLength(2);
    await expect(read(one(1) + one(2) + one(3))).rejects.toThrow(
      'tenant.yaml: checks: 21 steps in all checks together, at most 20',
    );
  });

  test('reject a name that occurs twice or has line breaks', async () => {
    await expect(read(check('path: /') + check('path: /'))).rejects.toThrow(
      /checks\.1\.name: another check has the name/,
    );
    await expect(read(check('path: /').replace('Sign in', '"Sign\\nin"'))).rejects.toThrow(
      /checks\.0\.name: must be one line/,
    );
  });

  test('a cleanup may use what the steps captured, a step not what a later one captures', async () => {
    const note =
      'name: Save, unit: api, method: POST, path: /notes, json: { text: "${run}" }, capture: { id: { json: id } }';
    const remove = 'name: Remove, unit: api, method: DELETE, path: "/notes/${id}"';
    expect(await read(`  - { name: Notes, steps: [{ ${note} }], cleanup: [{ ${remove} }] }\n`)).toHaveLength(1);
    await expect(read(`  - { name: Notes, steps: [{ ${remove} }, { ${note} }] }\n`)).rejects.toThrow(
      /checks\.0\.steps\.0\.path: \$\{id\} is neither/,
    );
  });
});
