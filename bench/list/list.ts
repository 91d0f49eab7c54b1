import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { alternate, type Findings, figures, ratiosOf, type Stage } from '../harness/harness.ts';
import { adminPassword, startManager, startServer } from '../harness/manager.ts';
import { seedStore } from '../harness/seed.ts';
import type { Load } from './client.ts';

const tenants = 10_000;
const connections = 8;
const seconds = 4;
const rounds = 9;
const atLeast = 0.6;
const path = '/api/tenants?limit=50';

/** Requests of the tenant list per second, against a bare Express route with the same statements on the same store. */
export async function benchList(stage: Stage): Promise<Findings> {
  const data = join(stage.directory, 'data');
  const store = await seedStore(data, {
    count: tenants,
    ports: (index) => ({ frontend: 10_000 + 2 * index, backend: 10_001 + 2 * index }),
    deployed: true,
  });
  const manager = await startManager(stage, data);
  const bare = await startServer(stage, ['bench/harness/bare-server.ts'], { STORE: store });
  const token = await tokenOf(manager.url);
  const client = fork(join(import.meta.dirname, 'client.ts'));
  stage.defer(() => client.kill());

  const loads: Record<'ours' | 'peer', Load> = {
    ours: { url: manager.url + path, headers: { authorization: `Bearer ${token}` }, connections, seconds },
    peer: { url: bare.url + path, headers: {}, connections, seconds },
  };
  if (!isDeepStrictEqual(await answerOf(loads.ours), await answerOf(loads.peer)))
    throw new Error('Both sides must answer the same');

  const measure = async (load: Load): Promise<number> => {
    client.send(load);
    const [rate] = (await once(client, 'message')) as [number];
    return rate;
  };
  const pairs = await alternate(
    { rounds },
    { ours: () => measure(loads.ours), peer: () => measure(loads.peer) },
    (round, { ours, peer }) => stage.say(`${round}: ${ours.toFixed(0)} /s, bare ${peer.toFixed(0)} /s`),
  );
  return {
    verdicts: [{ what: `requests a second of GET ${path}`, ratios: ratiosOf(pairs), limit: { atLeast } }],
    lines: [
      `${tenants} tenants, ${connections} keep-alive connections from another process, ${seconds} s a side and round, SQLite; Tenantry authenticates, logs at its usual level (to nowhere) and counts for /metrics`,
      ...figures(pairs, 'bare Express', '/s', 0),
    ],
  };
}

async function tokenOf(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

const answerOf = async ({ url, headers }: Load): Promise<unknown> => (await fetch(url, { headers })).json();
