import { chmod, mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/demo/manager.ts';
import { deployed, registered } from '../deploy/by-tenantry.ts';
import { type Findings, figures, type Pair, ratiosOf, type Stage } from '../harness/harness.ts';
import { runNginx } from '../proxy/nginx.ts';
import { startOperators } from './operators.ts';

const rounds = 3;
const atMost = 1.1;
const version = 'v1.0.0';
/** Their names and numbers are the engines'. */
const lost = 3;
const others = [1, 2];
const recoversWithinMs = 5 * 60_000;

/** The time until a site answers again after the loss of its node, against a service made by hand on the same node. */
export async function benchSwarmRecovery(stage: Stage): Promise<Findings | { skipped: string }> {
  const directory = join(stage.directory, 'nginx');
  await mkdir(directory);
  await Promise.all([stage.directory, directory].map((path) => chmod(path, 0o755)));
  const mainConfig = join(directory, 'nginx.conf');
  const httpPort = await freePort(0);
  const operators = await startOperators(stage, {
    PROXY: 'nginx',
    PROXY_DIRECTORY: join(directory, 'tenantry'),
    PROXY_HTTP_PORT: String(httpPort),
    PROXY_HTTPS_PORT: String(await freePort(0)),
    NGINX_CONFIG: mainConfig,
  });
  if ('skipped' in operators) return operators;
  const { manager, repository, byHand, docker, engines } = operators;
  runNginx(stage, mainConfig);

  const availability = (number: number, value: 'active' | 'drain') =>
    docker('node', 'update', '--availability', value, `node${number}`);
  for (const other of others) await availability(other, 'drain');
  const id = await registered(manager, { application: { title: '', repository } });
  await deployed(manager, id, version);
  const { api_domain: domain } = await manager.client.call<{ api_domain: string }>('GET', `/api/tenants/${id}`);
  const port = await byHand(version, 'by-hand');
  const site = () => answers('127.0.0.1', httpPort, domain);
  const byHandOn = async (numbers: readonly number[]): Promise<boolean> =>
    (await Promise.all(numbers.map((number) => answers(`10.99.0.${number}`, port)))).some(Boolean);

  const pairs: Pair<number>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await until(async () => (await site()) && (await byHandOn([lost])));
    for (const other of others) await availability(other, 'active');
    await engines.lose(lost);
    const began = performance.now();
    const since = async (recovered: () => Promise<boolean>): Promise<number> => {
      await until(recovered);
      return (performance.now() - began) / 1000;
    };
    const [ours, peer] = await Promise.all([since(site), since(() => byHandOn(others))]);
    pairs.push({ ours, peer });
    stage.say(`round ${round}: ${ours.toFixed(1)} s, by hand ${peer.toFixed(1)} s`);
    await engines.start(lost);
    await until(async () => (await docker('node', 'ls', '--format', '{{.Status}}')) === 'Ready\nReady\nReady');
    for (const other of others) await availability(other, 'drain');
  }
  return {
    verdicts: [
      { what: 'recovery through nginx / rescheduled by Swarm alone', ratios: ratiosOf(pairs), limit: { atMost } },
    ],
    lines: [
      `the host of both is lost at one moment; a site behind nginx with the manager running, and a service by hand, asked at its node, every 100 ms`,
      ...figures(pairs, 'by hand', 's'),
    ],
  };
}

/** Asks every 100 ms, like independent visitors: a request that still waits for the lost node does not hold up the next one. */
async function until(met: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + recoversWithinMs;
  let isMet = false;
  while (!isMet) {
    if (performance.now() > deadline) throw new Error(`Not met within ${recoversWithinMs / 60_000} minutes`);
    void met().then(
      (answer) => {
        isMet ||= answer;
      },
      () => undefined,
    );
    await sleep(100);
  }
}

/** Whether the api's health page is 200, on a new connection. */
function answers(host: string, port: number, domain = host): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      host,
      port,
      path: '/api/health',
      agent: false,
      timeout: 5_000,
      headers: { host: domain },
    } as const;
    const asked = request(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false)).end();
  });
}
