import { connect, createServer } from 'node:net';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';

const connectTimeoutMs = 300;

/**
 * Returns a probe that checks whether a process on this machine listens on a TCP port: it connects to the loopback address,
 * then tries to listen on all addresses. If it can't find out, it returns true.
 */
export function createHostPortProbe(): (port: number) => Promise<boolean> {
  // Two probes of one port would each find the other's listener.
  const lock = new KeyedLock();
  return (port) =>
    lock.run(String(port), async () => {
      if (await accepts(port)) return true;
      return !((await canListen(port, '0.0.0.0')) && (await canListen(port, '::')));
    });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: connectTimeoutMs });
    const end = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    // The same port at both ends: the kernel has connected the socket to itself.
    socket.once('connect', () => end(socket.localPort !== port));
    socket.once('timeout', () => end(true));
    socket.once('error', () => end(false));
  });
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Without IPv6, no process can listen there.
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL'),
    );
    server.listen({ port, host, ipv6Only: host === '::', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
