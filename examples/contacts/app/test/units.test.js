import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { program, temporaryDatabase } from './support.js';

for (const unit of ['api', 'frontend'])
  test(`${unit} listens on the configured address and ends at SIGTERM`, async (t) => {
    const child = spawn(process.execPath, [`${unit}/server.js`], {
      cwd: new URL('..', import.meta.url),
      env: { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: await temporaryDatabase(t, 'sqlite') },
    });
    t.after(() => child.kill('SIGKILL'));
    const [line] = await once(createInterface(child.stdout), 'line');
    const address = line.match(/listens on (127\.0\.0\.1:\d+)/)[1];
    const page = await fetch(`http://${address}${unit === 'api' ? '/docs' : '/'}`);
    assert.equal(page.status, 200);

    const started = performance.now();
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.ok(performance.now() - started < 3000);
  });

test('a unit whose environment does not fit says so and ends', async () => {
  const started = program('api/server.js', { PORT: 'eighty' });
  await assert.rejects(started, { code: 1, stderr: /The environment does not fit: PORT: .*; DATABASE_URL: / });
});
