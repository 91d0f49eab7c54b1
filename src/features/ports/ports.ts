import type { Clock } from '../../kernel/clock.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
import type { PortPool } from './allocate.ts';
import { createHostPortProbe } from './host-ports.ts';
import { portRoutes } from './routes.ts';
import { assertPool, createPortService, type PortService } from './service.ts';
import { createPortStore } from './store.ts';

export interface PortsDeps {
  store: Store;
  clock: Clock;
  pool: PortPool;
  tenantNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whether something on the host listens on the port; unset: asked at the loopback and by listening. */
  isListening?(port: number): Promise<boolean>;
}

export interface Ports extends PortService {
  routes: Route[];
}

/** The ports of tenants. @throws Error for a pool without a pair */
export function createPorts({ store, clock, pool, tenantNames, isListening }: PortsDeps): Ports {
  assertPool(pool);
  const ports = createPortService({
    store,
    rows: createPortStore(store),
    clock,
    pool,
    isListening: isListening ?? createHostPortProbe(),
  });
  return { ...ports, routes: portRoutes({ ports, tenantNames }) };
}
