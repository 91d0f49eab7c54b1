import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../ip-address.ts';

export interface ConnectionLimits {
  total: number;
  perAddress: number;
  /** Whether an address may open any number: a trusted reverse proxy holds the connections of everybody behind it. */
  isExempt(address: string): boolean;
}

/** Limits how many connections a server holds, in all and from one address: those beyond are closed without an answer. */
export function limitConnections(server: Server, { total, perAddress, isExempt }: ConnectionLimits): void {
  const counts = new Map<string, number>();
  server.maxConnections = total;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isExempt(remoteAddress)) return;
    const address = networkOf(remoteAddress);
    const count = (counts.get(address) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once('close', () => {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}
