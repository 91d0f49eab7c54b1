import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/demo/manager.ts';
import { createNginxProxy } from '../../src/adapters/proxies/nginx/nginx-proxy.ts';
import type { ReverseProxy } from '../../src/adapters/proxies/proxy.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { runProgram } from '../../src/lib/spawn.ts';
import { run, type Stage } from '../harness/harness.ts';

const program = 'nginx';
const startsWithinMs = 30_000;

export interface BenchNginx {
  proxy: ReverseProxy;
  mainConfig: string;
  /** Gets a page of a host over HTTP on a new connection; empty if the request fails. */
  get(domain: string, path: string): Promise<string>;
  /** How often the adapter has tested and reloaded nginx. */
  counts(): { tests: number; reloads: number };
}

/** Starts a real nginx on loopback, managed by the adapter; undefined if nginx is not installed. */
export async function startNginx(stage: Stage): Promise<BenchNginx | undefined> {
  const installed = await run(program, ['-v']).then(
    () => true,
    () => false,
  );
  if (!installed) return undefined;
  const directory = join(stage.directory, 'nginx');
  await mkdir(directory);
  // The workers run as another user.
  await Promise.all([stage.directory, directory].map((path) => chmod(path, 0o755)));
  const mainConfig = join(directory, 'nginx.conf');
  const [httpPort, httpsPort] = [await freePort(0), await freePort(0)];
  const counts = { tests: 0, reloads: 0 };
  const proxy = createNginxProxy({
    run: async ([file, ...parameters], options) => {
      if (parameters.includes('-t')) counts.tests += 1;
      if (parameters.includes('reload')) counts.reloads += 1;
      return runProgram(file, parameters, { env: { PATH: process.env.PATH ?? '' }, ...options });
    },
    mainConfig,
    directory: join(directory, 'tenantry'),
    address: '127.0.0.1',
    httpPort,
    httpsPort,
    listen: { addresses: ['127.0.0.1'] },
    logger: createLogger({ level: 'fatal' }),
  });
  await proxy.open();
  stage.defer(() => proxy.close());
  runNginx(stage, mainConfig);
  const deadline = performance.now() + startsWithinMs;
  while (!(await proxy.availability()).available) {
    if (performance.now() > deadline) throw new Error('nginx did not start in time');
    await sleep(20);
  }
  return {
    proxy,
    mainConfig,
    get: (domain, path) => page(httpPort, domain, path),
    counts: () => ({ ...counts }),
  };
}

/** Starts nginx with a configuration; it ends with the stage. */
export function runNginx(stage: Stage, mainConfig: string): void {
  const child = spawn(program, ['-c', mainConfig, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'inherit'] });
  stage.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
}

function page(port: number, domain: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path, agent: false, headers: { host: domain } }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(text);
    })
      .on('error', () => resolve(''))
      .end();
  });
}
