import { isIP, isIPv6 } from 'node:net';
import { isSlug } from '../../lib/text/slug.ts';

/**
 * Every value in a proxy's configuration passes one of these. They accept only what is exactly one word of its syntax, be that
 * nginx's, YAML, a rule or a template of Traefik's (no blank, quote, backtick, `;`, `{`, `}`, `$`, `\`, `#` or control
 * character, ASCII only) and throw otherwise; nothing is escaped, so nothing depends on how escapes are read.
 */
function checked(what: string, value: string, pattern: RegExp): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new Error(`${what} cannot stand in a proxy’s configuration: ${JSON.stringify(value)}`);
}

/** RFC 1123, section 2.1: labels of letters, digits and inner hyphens, 63 characters each, 253 together. */
const hostPattern = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** A host name, in lower case. @throws for anything else */
export const hostName = (value: string): string => checked('This host name', value, hostPattern).toLowerCase();

/** An upstream's host: an IP address (IPv6 in brackets) or a host name that is resolved per request. */
export function upstreamHost(value: string): { address: string } | { name: string } {
  if (typeof value === 'string' && isIP(value) && /^[0-9a-f.:]+$/i.test(value))
    return { address: isIPv6(value) ? `[${value}]` : value };
  return { name: hostName(value) };
}

/** An address to listen on: an IP address, IPv6 in brackets. */
export function listenAddress(value: string): string {
  const host = upstreamHost(value);
  if ('address' in host) return host.address;
  throw new Error(`An address to listen on must be an IP address: ${JSON.stringify(value)}`);
}

/** A trusted proxy: an IP address, or a subnet in CIDR notation. */
export function subnet(value: string): string {
  const [address = '', bits] = value.split('/');
  const most = isIPv6(address) ? 128 : 32;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (isIP(address) && /^[0-9a-f.:]+$/i.test(address) && isPrefix && value.split('/').length <= 2) return value;
  throw new Error(`A front proxy must be an IP address or a subnet: ${JSON.stringify(value)}`);
}

/** A TCP port. @throws for anything but an integer from 1 to 65535 */
export function port(value: number): string {
  if (Number.isInteger(value) && value >= 1 && value <= 65_535) return String(value);
  throw new Error(`This port cannot stand in a proxy’s configuration: ${JSON.stringify(value)}`);
}

/** Whole seconds, not negative. */
export function seconds(value: number): string {
  if (Number.isSafeInteger(value) && value >= 0) return String(value);
  throw new Error(`This number of seconds cannot stand in a proxy’s configuration: ${JSON.stringify(value)}`);
}

/** A tenant's slug; also a safe file name, and never one of our common files, whose names start with a digit. */
export const slugName = (value: string): string => {
  if (isSlug(value)) return value;
  throw new Error(`This slug cannot stand in a proxy’s configuration: ${JSON.stringify(value)}`);
};

/** A tenant's id: a word of letters, digits, `-` and `_`. */
export const identifier = (value: string): string => checked('This id', value, /^[A-Za-z0-9_-]{1,64}$/);

/** SHA-256 in lower-case hexadecimal. */
export const sha256Hex = (value: string): string => checked('This fingerprint', value, /^[0-9a-f]{64}$/);

/** The path of an address, without query. */
export const urlPath = (value: string): string => checked('This path', value, /^\/[A-Za-z0-9._~/%+@=:,-]*$/);

/** An absolute path of plain characters, without `.` or `..` as a part: no pattern for a proxy. */
export const absolutePath = (value: string): string =>
  checked('This path', value, /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._+@=~-]+)+$/);
