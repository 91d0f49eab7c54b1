import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ReverseProxy } from '../../../src/adapters/proxies/proxy.ts';
import type { TraefikProxyOptions } from '../../../src/adapters/proxies/traefik/options.ts';
import { createTraefikProxy } from '../../../src/adapters/proxies/traefik/traefik-proxy.ts';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { patienceMs, slowness } from '../patience.ts';
import { freePort } from '../servers/ports.ts';

const compose = join(import.meta.dirname, '..', '..', '..', 'compose.yaml');

/** The program of `npm run test:world`. */
export const traefikProgram = (): string => {
  const program = process.env.TEST_TRAEFIK;
  if (program === undefined) throw new Error('TEST_TRAEFIK names no program: see npm run test:world');
  return program;
};

export interface RealTraefik {
  serves: { httpPort: number; httpsPort: number };
  asksHealth: true;
  /** An opened adapter of it, with its API. */
  open(changes?: Partial<TraefikProxyOptions>): Promise<ReverseProxy>;
  close(): Promise<void>;
}

/** The real Traefik with the options of compose.yaml, on free ports. @param frontProxies as in .env @param more options, which win */
export async function startTraefik(frontProxies: string[], more: readonly string[] = []): Promise<RealTraefik> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-traefik-'));
  const [httpPort, httpsPort, apiPort] = [await freePort(), await freePort(), await freePort()];
  const values: Record<string, string> = {
    PROXY_HTTP_PORT: String(httpPort),
    PROXY_HTTPS_PORT: String(httpsPort),
    FRONT_PROXIES: frontProxies.join(','),
  };
  const { command } = parse(await readFile(compose, 'utf8')).services.traefik as { command: string[] };
  const options = command.map((option) =>
    option
      .replaceAll(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, fallback: string) => values[name] ?? fallback)
      .replace('address=:8080', `address=127.0.0.1:${apiPort}`)
      .replace('=/proxy/', `=${directory}/`),
  );
  const open = async (changes: Partial<TraefikProxyOptions> = {}) => {
    const proxy = createTraefikProxy({
      directory,
      certificateResolver: 'acme',
      frontProxies,
      visited: { address: '127.0.0.1', httpPort, httpsPort },
      api: { url: `http://127.0.0.1:${apiPort}`, entryPoint: 'internal' },
      proofTimeoutMs: 20_000 * slowness,
      logger: createLogger({ level: 'fatal' }),
      ...changes,
    });
    await proxy.open();
    return proxy;
  };
  // As in compose.yaml: the manager has made the directory before.
  const proxy = await open();
  const child = spawn(traefikProgram(), [...options, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`Traefik ended: ${said}`);
    return (await proxy.availability()).available || undefined;
  };
  const ready = await poll(isReady, { timeoutMs: patienceMs, intervalMs: 100 });
  await proxy.close();
  if (!ready) throw new Error(`Traefik is not ready: ${said}`);
  return {
    serves: { httpPort, httpsPort },
    asksHealth: true,
    open,
    async close() {
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}
