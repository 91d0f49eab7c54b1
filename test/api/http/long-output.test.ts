import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, sharedApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant } from '../../harness/data/tenants.ts';

let directory: string;
let app: App;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-output-'));
  app = await sharedApp();
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

test('an install that prints 40 MB keeps its first and last lines, and later steps keep theirs', async () => {
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  await repository.release('v2.0.0', {
    'install.js': `
const { writeSync } = require('node:fs');
const line = 'x'.repeat(999) + '\\n';
writeSync(1, 'the first line\\n');
for (let turn = 0; turn < 400; turn += 1) {
  let rest = Buffer.from(line.repeat(100));
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}
writeSync(1, 'the last line\\n');
`,
  });
  const tenant = await makeTenant(app, repository.path);
  const { status, logs } = await deploy(app, tenant.id);
  expect(status).toBe('success');
  const lines = logs.split('\n').filter((line) => !/x{999}/.test(line));
  const log = lines.join('\n');
  expect(log).toMatch(/the first line[\s\S]*… \d+ bytes dropped …[\s\S]*the last line[\s\S]*migrating second \(ok\)/);
  expect(log).toMatch(/Healthy after/);
  expect(logs.length).toBeLessThan(16 * 1024 ** 2);
  const left = /… (\d+) bytes dropped …/.exec(log)?.[1];
  const kept = logs.split('\n').filter((line) => /x{999}/.test(line)).length;
  expect(Number(left)).toBe(40_000_000 - kept * 1_000);
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
});
