export interface PortPair {
  frontend: number;
  backend: number;
}

/** The ports given out by themselves, both ends included; pairs are counted from `start`, which may be odd. */
export interface PortPool {
  start: number;
  end: number;
}

/** The pool's pairs in order: an even offset is a frontend port, the next one its backend port. */
export function* pairsOf(pool: PortPool): Generator<PortPair> {
  for (let port = pool.start; port + 1 <= pool.end; port += 2) yield { frontend: port, backend: port + 1 };
}

/** The pairs of which neither port is taken, in order; those with a port that `last` has come after all others. */
export function* freePairs(pool: PortPool, taken: ReadonlySet<number>, last: PortSet = none): Generator<PortPair> {
  const has = (ports: PortSet, pair: PortPair): boolean => ports.has(pair.frontend) || ports.has(pair.backend);
  for (const isLast of [false, true])
    for (const pair of pairsOf(pool)) if (has(last, pair) === isLast && !has(taken, pair)) yield pair;
}

/** The next free pair of the pool; undefined when all are taken. */
export function nextFreePair(pool: PortPool, taken: ReadonlySet<number>, last?: PortSet): PortPair | undefined {
  return freePairs(pool, taken, last).next().value ?? undefined;
}

interface PortSet {
  has(port: number): boolean;
}
const none: PortSet = new Set<number>();

/** The port that makes a pair with this one: the other of its pair in the pool; outside, the backend is the frontend plus one. */
export function partnerOf(pool: PortPool, port: number, role: 'frontend' | 'backend'): number {
  const offset = port - pool.start;
  const first = port - (offset % 2);
  if (offset >= 0 && first + 1 <= pool.end) return offset % 2 === 0 ? port + 1 : port - 1;
  return role === 'frontend' ? port + 1 : port - 1;
}
