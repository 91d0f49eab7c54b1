import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { patienceMs } from '../patience.ts';
import { freePort } from '../servers/ports.ts';

const program = 'caddy';
const withUs = 'setpriv';

export interface AcmeServer {
  directoryUrl: string;
  /** PEM of the root of its own TLS certificate and those that it issues. */
  rootCertificate: string;
  /** Its output so far, for a test that fails. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Debian's Caddy as an ACME authority on a free port of the loopback, with its own certificate authority in a
 * temporary directory; ready when this resolves. For HTTP-01 it requests port 80 of the names: see `claimPort80`, and
 * point the names here before it starts. Certificates are valid for 12 hours.
 * @param options.port to reuse a port;
 * otherwise a free one
 */
export async function startAcmeServer(options: { port?: number } = {}): Promise<AcmeServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-acme-'));
  const port = options.port ?? (await freePort());
  const config = join(directory, 'Caddyfile');
  const logFile = join(directory, 'caddy.log');
  await writeFile(config, caddyfile(directory, port, await freePort()));
  const output = createWriteStream(logFile);
  await once(output, 'open');
  // It ends with this process in any case: Jest kills its workers.
  const child = spawn(withUs, ['--pdeathsig', 'KILL', program, 'run', '--config', config, '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    stdio: ['ignore', output, output],
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = new Error(`${withUs} could not be started (Debian: util-linux): ${error.message}`);
  });

  const log = (): Promise<string> => readFile(logFile, 'utf8').catch(() => '');
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    output.destroy();
    await rm(directory, { recursive: true, force: true });
  };

  const directoryUrl = `https://127.0.0.1:${port}/acme/local/directory`;
  const rootPath = join(directory, 'storage', 'pki', 'authorities', 'local', 'root.crt');
  const rootCertificate = await poll(
    async () => {
      if (failure || child.exitCode !== null) return '';
      const root = await readFile(rootPath, 'utf8').catch(() => undefined);
      return root !== undefined && (await answers(directoryUrl, root)) ? root : undefined;
    },
    { timeoutMs: patienceMs, intervalMs: 50 },
  );
  if (!rootCertificate) {
    const words = failure?.message ?? (await log());
    await stop();
    throw new Error(`The ACME server did not come up (Debian: apt-get install caddy): ${words}`);
  }
  return { directoryUrl, rootCertificate, log, stop };
}

function caddyfile(directory: string, port: number, httpPort: number): string {
  return `{
	admin off
	auto_https disable_redirects
	skip_install_trust
	storage file_system ${join(directory, 'storage')}
	http_port ${httpPort}
	https_port ${port}
}
https://127.0.0.1:${port} {
	bind 127.0.0.1
	tls internal
	acme_server
}
`;
}

async function answers(directoryUrl: string, root: string): Promise<boolean> {
  const agent = new Agent({ connect: { ca: root } });
  try {
    const answer = await request(directoryUrl, { dispatcher: agent });
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    return false;
  } finally {
    await agent.destroy();
  }
}
