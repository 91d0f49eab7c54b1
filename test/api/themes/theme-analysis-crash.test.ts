import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { until } from '../../harness/data/tenants.ts';
import { type StoredWebsites, serveStoredWebsites } from '../../harness/servers/stored-websites.ts';

let manager: ManagerProcess;
let sites: StoredWebsites;
beforeAll(async () => {
  sites = await serveStoredWebsites();
  manager = await makeManagerProcess({ RUNTIME: 'process', ALLOW_PRIVATE_WEBSITES: 'true' });
  await manager.start();
});
afterAll(async () => {
  expect(await manager.stop()).toBe(0);
  await manager.remove();
  await sites.close();
});

interface AnalysisAnswer {
  status: string;
  error: string | null;
  suggestions: { primary_color: string }[];
}

test('a manager that is killed or stopped during an analysis resumes it, or finally fails it', async () => {
  const { body: tenant } = await manager.call<{ id: string }>('POST', '/api/tenants', {
    body: { name: 'One', slug: 'one', domain: 'one.example.org', api_domain: 'api.one.example.org' },
  });
  const theme = `/api/tenants/${tenant.id}/theme`;
  const visits = () => sites.asked.filter((path) => path === '/hanging').length;
  let page: string | undefined;
  const url = sites.at('/hanging', (response) => {
    if (page !== undefined) response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  const begin = async () => {
    const before = visits();
    expect((await manager.call('POST', `${theme}/analyze`, { body: { website_url: url } })).status).toBe(202);
    await until(
      async () => visits(),
      (count) => count > before,
    );
  };
  const state = async () => (await manager.call<AnalysisAnswer>('GET', `${theme}/suggestions`)).body;

  await begin();
  await manager.kill();
  await manager.start();
  await until(
    async () => visits(),
    (count) => count === 2,
  );
  expect((await state()).status).toBe('processing');
  expect((await manager.call('POST', `${theme}/analyze`, { body: { website_url: url } })).status).toBe(409);
  expect(await manager.stop()).toBe(0);
  page = '<header style="background:#c06">x</header>';
  await manager.start();
  const resumed = await until(state, ({ status }) => status !== 'processing');
  expect(resumed).toMatchObject({ status: 'complete', error: null });
  expect(resumed.suggestions[0]?.primary_color).toBe('#CC0066');

  page = undefined;
  await begin();
  for (let crash = 0; crash < 3; crash += 1) {
    await manager.kill();
    const before = visits();
    await manager.start();
    await until(
      async () => ({ ...(await state()), seen: visits() > before }),
      ({ status, seen }) => seen || status === 'failed',
    );
  }
  const given = await until(state, ({ status }) => status !== 'processing');
  expect(given).toMatchObject({ status: 'failed', error: expect.any(String), suggestions: [] });
});
