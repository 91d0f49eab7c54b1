export interface PortPair {
  frontend: number;
  backend: number;
}

/** The ports that are allocated automatically, both ends inclusive; pairs start at `start`, which may be odd. */
export interface PortPool {
  start: number;
  end: number;
}

/** The pool's pairs in order: ports at even offsets are frontend ports, the next ones their backend ports. */
export function* pairsOf(pool: PortPool): Generator<PortPair> {
  for (let port = pool.start; port + 1 <= pool.end; port += 2) yield { frontend: port, backend: port + 1 };
}

/** The pairs with two free ports, in order; pairs with a port in `last` come after all others. */
export function* freePairs(pool: PortPool, taken: ReadonlySet<number>, last: PortSet = none): Generator<PortPair> {
  const has = (ports: PortSet, pair: PortPair): boolean => ports.has(pair.frontend) || ports.has(pair.backend);
  for (const isLast of [false, true])
    for (const pair of pairsOf(pool)) if (has(last, pair) === isLast && !has(taken, pair)) yield pair;
}

/** The next free pair of the pool; undefined if none is left. */
export function nextFreePair(pool: PortPool, taken: ReadonlySet<number>, last?: PortSet): PortPair | undefined {
  return freePairs(pool, taken, last).next().value ?? undefined;
}

interface PortSet {
  has(port: number): boolean;
}
const none: PortSet = new Set<number>();

/** The other port of this port's pair. Outside the pool, the backend port is the frontend port plus one. */
export function partnerOf(pool: PortPool, port: number, role: 'frontend' | 'backend'): number {
  const offset = port - pool.start;
  const first = port - (offset % 2);
  if (offset >= 0 && first + 1 <= pool.end) return offset % 2 === 0 ? port + 1 : port - 1;
  return role === 'frontend' ? port + 1 : port - 1;
}
