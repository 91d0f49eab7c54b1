import { createServer } from 'node:net';
import { messageOf } from '../../lib/errors.ts';
import { ConfigError } from '../config/config.ts';

type PortVariable = 'PORT' | 'DASHBOARD_PORT';

interface ListenAddress {
  host: string;
  port: number;
}

/** Why the manager can't listen where a variable says, and what to do about it. */
export function listenProblem(name: PortVariable, { host, port }: ListenAddress, error: unknown): ConfigError {
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
export async function assertFree(name: PortVariable, place: ListenAddress): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenProblem(name, place, error)));
    server.listen(place.port, place.host, () => server.close(() => resolve()));
  });
}
