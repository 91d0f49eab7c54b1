import { probeError } from './probe-problems.ts';

/**
 * Subnets for tenants' networks. The engine's default pools give each network a /16 or /20 and are used up after about 30
 * networks; a tenant needs a handful of addresses. So we choose: a /28 (13 containers) out of one pool, 4,096 tenants in the
 * default /16.
 */
const prefix = 28;
const size = 2 ** (32 - prefix);

interface Range {
  first: number;
  last: number;
}

/**
 * The first /28 of the pool that overlaps none of the used subnets (IPv6 ones don't matter).
 * @param skip subnets that look free but were refused by the engine
 * @throws Error when the pool is no IPv4 network of at most /28, or is full (ExplainedError)
 */
export function freeSubnet(pool: string, inUse: readonly string[], skip: ReadonlySet<string> = new Set()): string {
  const range = parseSubnet(pool);
  if (!range || range.last - range.first + 1 < size) throw new Error(`Not a pool of IPv4 networks: ${pool}`);
  const taken = inUse.flatMap((subnet) => parseSubnet(subnet) ?? []).sort((a, b) => a.first - b.first);
  for (let first = range.first; first + size - 1 <= range.last; ) {
    const last = first + size - 1;
    const clash = taken.find((other) => other.first <= last && other.last >= first);
    if (!clash) {
      const subnet = `${formatAddress(first)}/${prefix}`;
      if (!skip.has(subnet)) return subnet;
    }
    // After the obstacle, at the next multiple of the size: a large one is skipped in one step.
    first = Math.ceil((Math.max(clash?.last ?? last, last) + 1) / size) * size;
  }
  throw probeError({ code: 'network_pool_exhausted', params: { pool } });
}

/**
 * The subnets of the kernel's routing table (`/proc/net/route`) that lie in a pool. One that another program uses there, or a bridge
 * that an engine left behind, takes the packets of a new network with the same addresses. Wider routes do not.
 */
export function routedSubnets(table: string, pool: string): string[] {
  const range = parseSubnet(pool);
  return table.split('\n').flatMap((line) => {
    const [, destination = '', , , , , , mask = ''] = line.split('\t');
    if (!/^[0-9A-F]{8}$/.test(destination) || !/^[0-9A-F]{8}$/.test(mask)) return [];
    const bits = swapped(mask).toString(2).replaceAll('0', '').length;
    const subnet = `${formatAddress(swapped(destination))}/${bits}`;
    const routed = parseSubnet(subnet);
    if (!range || !routed || routed.first < range.first || routed.last > range.last) return [];
    return routed.last - routed.first === range.last - range.first ? [] : subnet;
  });
}

/** A number that the kernel writes in the processor's byte order. */
const swapped = (hex: string): number => Buffer.from(hex, 'hex').readUInt32LE();

/** The addresses of an IPv4 subnet in CIDR notation; undefined for anything else. */
function parseSubnet(subnet: string): Range | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(subnet);
  if (!match) return undefined;
  const [a = 256, b = 256, c = 256, d = 256, bits = 33] = match.slice(1).map(Number);
  if (Math.max(a, b, c, d) > 255 || bits > 32) return undefined;
  const count = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = Math.floor(address / count) * count;
  return { first, last: first + count - 1 };
}

function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
