import { BlockList, isIPv6, type Server } from 'node:net';

/** Addresses by IPv4 range (`10.213.0.0/16`); ranges may be added later. */
export class AddressRanges {
  readonly #list = new BlockList();

  constructor(ranges: readonly string[] = []) {
    for (const range of ranges) this.add(range);
  }

  add(range: string): void {
    const [network = '', bits] = range.split('/');
    this.#list.addSubnet(network, Number(bits), 'ipv4');
  }

  has(address: string): boolean {
    return this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

/** Closes connections from addresses that are refused, before anything of them is read. */
export function refusePeers(server: Server, isRefused: (address: string) => boolean): void {
  server.prependListener('connection', (socket) => {
    if (isRefused(socket.remoteAddress ?? '')) socket.resetAndDestroy();
  });
}
