import { connect, createServer } from 'node:net';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';

const connectTimeoutMs = 300;

/**
 * Answers whether something on this machine listens on a TCP port: it asks at the loopback, then tries to listen on it
 * itself, on all addresses. Where it can't be known the answer is yes.
 */
export function createHostPortProbe(): (port: number) => Promise<boolean> {
  // Two probes of one port would each find the other's listener.
  const lock = new KeyedLock();
  return (port) =>
    lock.run(String(port), async () => {
      if (await answers(port)) return true;
      return !((await canListen(port, '0.0.0.0')) && (await canListen(port, '::')));
    });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: connectTimeoutMs });
    const end = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    // An address and a port of its own at both ends: the kernel has connected the socket to itself.
    socket.once('connect', () => end(socket.localPort !== port));
    socket.once('timeout', () => end(true));
    socket.once('error', () => end(false));
  });
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has nobody who listens there.
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL'),
    );
    server.listen({ port, host, ipv6Only: host === '::', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
