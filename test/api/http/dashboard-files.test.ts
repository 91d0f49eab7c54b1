import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createDashboard } from '../../../src/app/http/dashboard.ts';

test('a file of the dashboard that a new build removed ends its request, not the manager', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-dashboard-'));
  await writeFile(join(directory, 'index.html'), '<p>Tenantry</p>');
  await writeFile(join(directory, 'old.js'), 'void 0;');
  const { server, stop } = createDashboard({
    directory,
    api: createServer(),
    connectionLimits: { total: 10, perAddress: 10, isExempt: () => true },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    expect((await fetch(`${url}/old.js`)).status).toBe(200);
    await rm(join(directory, 'old.js'));
    await expect(fetch(`${url}/old.js`)).rejects.toThrow('fetch failed');
    expect(await (await fetch(`${url}/tenants`)).text()).toBe('<p>Tenantry</p>');
  } finally {
    await stop();
    await rm(directory, { recursive: true });
  }
});
