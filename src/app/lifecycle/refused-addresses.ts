import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { backoff, retry } from '../../lib/concurrency/retry.ts';
import { AddressRanges } from '../../lib/http/connections/refused-peers.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';

/**
 * Whether a connection is closed because a tenant's code may be behind it: the manager has an address in each of their networks, and
 * on a host one in the network of builds. Proxies that TRUST_PROXY names may be in the latter.
 */
export function refusedBy({
  runtime,
  config,
  isTrusted,
  logger,
  signal,
}: {
  runtime: Runtime;
  config: Pick<Config, 'DOCKER_NETWORK_POOL'>;
  isTrusted(address: string): boolean;
  logger: Logger;
  signal: AbortSignal;
}): (address: string) => boolean {
  if (runtime.kind !== 'docker') return () => false;
  const tenants = new AddressRanges([config.DOCKER_NETWORK_POOL]);
  const builds = new AddressRanges();
  // The engine may not answer yet.
  const known = retry(async () => (await runtime.buildNetworks?.()) ?? [], {
    delaysMs: backoff(1_000, 60_000),
    isTransient: () => true,
    signal,
  });
  known.then(
    (ranges) => {
      for (const range of ranges) builds.add(range);
    },
    (error: unknown) => signal.aborted || logger.warn({ err: error }, 'builds can connect to the manager'),
  );
  return (address) => tenants.has(address) || (builds.has(address) && !isTrusted(address));
}
