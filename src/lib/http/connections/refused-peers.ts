import { BlockList, isIPv6, type Server } from 'node:net';

/** Closes connections that come from these IPv4 ranges (`10.213.0.0/16`), before anything of them is read. */
export function refusePeers(server: Server, ranges: readonly string[]): void {
  const refused = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    refused.addSubnet(network, Number(bits), 'ipv4');
  }
  server.prependListener('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (refused.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')) socket.resetAndDestroy();
  });
}
