import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What limits count as one address: a provider's customer has a whole IPv6 /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail === undefined ? [] : tail.split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill('0'), ...rest].slice(0, 4).join(':');
}

/** The cloud providers' metadata services, not all in special ranges (AWS over IPv6, Alibaba, Oracle, Azure's wire server). */
const metadataServices = new Set([
  '169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]);

/**
 * The public part of IPv6 (IANA: Global Unicast). Everything else is local, reserved, or contains an IPv4 address
 * (::ffff:0:0/96, 64:ff9b::/96, the old ::/96).
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Its exceptions: 6to4 and Teredo contain IPv4 addresses; documentation, benchmarks and ORCHID are not routed. */
const embedded: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/**
 * The kind of a non-public address: `loopback`, `private`, …; undefined for a public one. Fails closed: anything else is
 * `invalid`.
 * @param text an IPv4 or IPv6 address as a socket or a resolver reports it, without brackets
 */
export function nonPublicKind(text: string): string | undefined {
  if (isIP(text) === 0) return 'invalid';
  const address = ipaddr.parse(text);
  if (metadataServices.has(address.toNormalizedString()) || metadataServices.has(address.toString())) return 'metadata';
  const range = address.range();
  if (address instanceof ipaddr.IPv4) return range === 'unicast' ? undefined : (kindNames[range] ?? range);
  if (range !== 'unicast') return kindNames[range] ?? range;
  if (!address.match(globalUnicast)) return 'reserved';
  return embedded.some(([network, bits]) => address.match(ipaddr.IPv6.parse(network), bits)) ? 'reserved' : undefined;
}

/** ipaddr.js's names in terms an operator knows. */
const kindNames: Record<string, string> = {
  unspecified: 'unspecified',
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  uniqueLocal: 'private',
  ipv4Mapped: 'IPv4-mapped',
  rfc6145: 'IPv4-translated',
  rfc6052: 'NAT64',
  '6to4': '6to4',
  teredo: 'Teredo',
};

/** Names that never lead to the Internet (RFC 6761, RFC 6762, RFC 8375; `internal` is reserved by ICANN for private use). */
export function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return /(^|\.)(localhost|local|internal|home\.arpa|onion)$/.test(name);
}
