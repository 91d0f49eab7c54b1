import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { PortPool } from './allocate.ts';
import { type EphemeralPorts, ephemeralWarning, readEphemeralPorts } from './ephemeral.ts';
import { createHostPortProbe } from './host-ports.ts';
import { portRoutes } from './routes.ts';
import { assertPool, createPortService, type PortService } from './service.ts';
import { createPortStore } from './store.ts';

export type { PortPair, PortService } from './service.ts';

export interface PortsDeps {
  store: Store;
  clock: Clock;
  pool: PortPool;
  tenantNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whether a process on the host listens on the port (default: createHostPortProbe). */
  isListening?(port: number): Promise<boolean>;
  /** Default: read from the kernel's settings. */
  ephemeral?: EphemeralPorts;
}

export interface Ports extends PortService {
  routes: Route[];
  /** A warning if outgoing connections may use ports of the pool. */
  ephemeralWarning(): string | undefined;
}

/** Allocates ports to tenants. @throws Error for a pool without a pair */
export function createPorts(deps: PortsDeps): Ports {
  const { store, clock, pool, tenantNames, isListening, ephemeral = readEphemeralPorts() } = deps;
  assertPool(pool);
  const ports = createPortService({
    store,
    rows: createPortStore(store),
    clock,
    pool,
    ephemeral,
    isListening: isListening ?? createHostPortProbe(),
  });
  return {
    ...ports,
    routes: portRoutes({ ports, tenantNames }),
    ephemeralWarning: () => ephemeralWarning(pool, ephemeral),
  };
}
