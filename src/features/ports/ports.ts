import { ephemeralWarning, readEphemeralPorts } from './ephemeral.ts';
import { createHostPortProbe } from './host-ports.ts';
import { assertPool, createPortService, type PortService, type PortsDeps } from './service.ts';
import { createPortStore } from './store.ts';

export { portRoutes } from './routes.ts';
export type { PortPair, PortService, ReplacedPorts } from './service.ts';

export interface Ports extends PortService {
  /** A warning if outgoing connections may use ports of the pool. */
  ephemeralWarning(): string | undefined;
}

/** Allocates ports to tenants. @throws Error for a pool without a pair */
export function createPorts(deps: PortsDeps): Ports {
  const { store, clock, pool, isListening = createHostPortProbe(), ephemeral = readEphemeralPorts() } = deps;
  assertPool(pool);
  return {
    ...createPortService(createPortStore(store), { store, clock, pool, isListening, ephemeral }),
    ephemeralWarning: () => ephemeralWarning(pool, ephemeral),
  };
}
