import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/** Where a browser runs so that changes of this machine's network do not reach it. */
export interface SteadyNetwork {
  /** What runs as the browser's program, and with which environment and arguments. */
  executablePath: string;
  env: Record<string, string>;
  args: string[];
  close(): void;
}

/**
 * A network namespace whose addresses never change. Chromium breaks off connections with ERR_NETWORK_CHANGED whenever
 * an address of its machine comes or goes, as each Docker network of a concurrent suite does. The browser reaches this
 * machine through a SOCKS proxy that listens there. undefined where namespaces are not permitted (it needs root).
 */
export async function steadyNetwork(chromium: string): Promise<SteadyNetwork | undefined> {
  const holder = spawn(
    '/usr/bin/unshare',
    ['--net', '--', process.execPath, join(import.meta.dirname, 'hold-network.ts')],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const listening = await Promise.race([once(holder, 'message'), once(holder, 'exit').then(() => undefined)]);
  if (!listening) return undefined;
  const [port, proxy] = listening as [number, Server];
  proxy.on('connection', serve);
  return {
    executablePath: join(import.meta.dirname, 'chromium-in-namespace.sh'),
    env: { NETWORK_OF: String(holder.pid), CHROMIUM: chromium },
    // Chromium would not use a proxy for loopback addresses otherwise.
    args: [`--proxy-server=socks5://127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'],
    close: () => {
      proxy.close();
      holder.kill();
    },
  };
}

/** One connection by SOCKS 5 (RFC 1928), without authentication. */
async function serve(client: Socket): Promise<void> {
  client.on('error', () => client.destroy());
  try {
    const [, methods = 0] = await take(client, 2);
    await take(client, methods);
    client.write(Buffer.from([5, 0]));
    const [, , , addressType] = await take(client, 4);
    const host = await address(client, addressType);
    const port = (await take(client, 2)).readUInt16BE();
    const target = connect({ host, port, noDelay: true });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
    target.on('close', () => client.destroy());
    await once(target, 'connect');
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    client.pipe(target).pipe(client);
  } catch {
    client.destroy();
  }
}

async function address(client: Socket, type: number | undefined): Promise<string> {
  if (type === 1) return (await take(client, 4)).join('.');
  const [length = 0] = await take(client, 1);
  return (await take(client, length)).toString();
}

/** The next bytes. @throws when the connection ends before */
async function take(client: Socket, bytes: number): Promise<Buffer> {
  while (true) {
    const taken = client.read(bytes) as Buffer | null;
    if (taken) return taken;
    await once(client, 'readable');
    if (client.readableEnded || client.destroyed) throw new Error('The connection ended during its greeting');
  }
}
