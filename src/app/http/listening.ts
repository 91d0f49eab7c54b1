import { type AddressInfo, createServer, type Server } from 'node:net';
import { messageOf } from '../../lib/errors.ts';
import { ConfigError } from '../config/config.ts';

type PortVariable = 'PORT' | 'DASHBOARD_PORT';

export interface ListenAddress {
  name: PortVariable;
  host: string;
  port: number;
}

/** Starts listening and returns the port (0 takes any free one). @throws ConfigError */
export async function listenAt(server: Server, address: ListenAddress): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: unknown): void => reject(listenProblem(address, error));
    server.once('error', onError);
    server.listen(address.port, address.host, () => {
      server.off('error', onError);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Why the manager can't listen where a variable says, and what to do about it. */
function listenProblem({ name, host, port }: ListenAddress, error: unknown): ConfigError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new ConfigError(
        `${name} must be free: something else listens at ${host}:${port} already. End that, or choose another port. Example: ${name}=${port + 10}`,
      );
    case 'EACCES':
      return new ConfigError(
        `${name} must be a port that this user may listen at: ${port} is not (below 1024 only root may). Example: ${name}=${32_201}`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST must be an address of this machine: ${host} is none. Example: HOST=127.0.0.1`);
    default:
      return new ConfigError(`The manager can’t listen at ${host}:${port} (${name}, HOST): ${messageOf(error)}`);
  }
}

/**
 * Checks that the manager will be able to listen, before it resumes any work: work that a failed start interrupts would count
 * as a crash. @throws ConfigError
 */
export async function assertFree(address: ListenAddress): Promise<void> {
  const server = createServer();
  await listenAt(server, address);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
