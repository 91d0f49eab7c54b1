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
  /** Whether something on the host listens on the port; unset: asked at the loopback and by listening. */
  isListening?(port: number): Promise<boolean>;
  /** Unset: as the kernel says. */
  ephemeral?: EphemeralPorts;
}

export interface Ports extends PortService {
  routes: Route[];
  /** What to do where the pool has ports that outgoing connections may use; undefined where it has none. */
  ephemeralWarning(): string | undefined;
}

/** The ports of tenants. @throws Error for a pool without a pair */
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
