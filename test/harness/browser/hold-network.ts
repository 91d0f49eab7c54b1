/** Holds a new network namespace until its parent ends, and gives the parent a socket that listens in it. */
import { execFileSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';

execFileSync('/usr/bin/ip', ['link', 'set', 'lo', 'up']);
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  // Only the parent accepts connections.
  process.send?.(port, server, {}, () => server.close());
});
process.on('disconnect', () => process.exit());
