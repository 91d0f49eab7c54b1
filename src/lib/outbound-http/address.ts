import { isIP } from 'node:net';
import { isLocalName, nonPublicKind } from '../ip-address.ts';
import { OutboundError } from './outbound-error.ts';

/** Longer ones are refused: real ones are short after the host name. */
const maxAddressCharacters = 2_000;

/** Rules of allowed connections. */
export interface AddressRule {
  /** The kind of a forbidden IP address (`loopback`); undefined if it is allowed. */
  addressKind(address: string): string | undefined;
  /** The reason against a name before it is resolved. */
  nameKind(name: string): string | undefined;
  allowsPort(port: number): boolean;
  /** The allowed ports, for messages. */
  ports: readonly number[];
}

const webPorts = [80, 443];

/**
 * @param allowPrivate allows private addresses and all ports
 * @param ports otherwise these. Others are other services: browsers block many of them too, and Tenantry must not become a
 *   port scanner
 */
export function addressRule({
  allowPrivate,
  ports = webPorts,
}: {
  allowPrivate: boolean;
  ports?: readonly number[];
}): AddressRule {
  const open = (): undefined => undefined;
  if (allowPrivate) return { addressKind: open, nameKind: open, allowsPort: () => true, ports };
  return {
    addressKind: nonPublicKind,
    nameKind: (name) => (isLocalName(name) ? 'local' : undefined),
    allowsPort: (port) => ports.includes(port),
    ports,
  };
}

/**
 * A valid web address, as far as its text shows: http or https, no credentials, default ports, no private address in any
 * notation (`URL` normalizes decimal, octal and hexadecimal ones). The addresses of its name are checked on connecting.
 * @param base the address of the redirect or link
 * @throws OutboundError bad_address, blocked
 */
export function webAddress(text: string, rule: AddressRule, base?: URL): URL {
  const trimmed = text.trim();
  if (trimmed.length > maxAddressCharacters)
    throw new OutboundError('bad_address', `The address is longer than ${maxAddressCharacters} characters`);
  const url = URL.parse(trimmed, base?.href);
  if (!url?.hostname) {
    const hint = /^https?:/i.test(trimmed) ? '' : ': it does not begin with http:// or https://';
    throw new OutboundError('bad_address', `${quoted(trimmed)} is no web address${hint}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundError('bad_address', `${quoted(trimmed)} does not begin with http:// or https://`);
  if (url.username || url.password)
    throw new OutboundError('bad_address', `The address of ${hostOf(url)} has a user name or password in it`);
  refuseTarget({ host: hostOf(url), port: portOf(url) }, rule);
  url.hash = '';
  return url;
}

export interface Target {
  /** A name, or an address without brackets. */
  host: string;
  port: number;
}

/**
 * Refuses a target before its name is resolved.
 * @throws OutboundError blocked
 */
export function refuseTarget({ host, port }: Target, rule: AddressRule): void {
  const kind = isIP(host) ? rule.addressKind(host) : rule.nameKind(host);
  if (kind !== undefined) throw blockedAddress(host, host, kind);
  if (!rule.allowsPort(port))
    throw new OutboundError('blocked', `${host}:${port} is blocked by rule: only ports ${list(rule.ports)} are asked`);
}

/** The refusal of an address by its kind, in one wording. */
export function blockedAddress(host: string, address: string, kind: string): OutboundError {
  const leads = host === address ? `${host} (${kind})` : `${host} leads to ${address} (${kind}) and`;
  return new OutboundError('blocked', `${leads} is blocked by rule: only public addresses are asked`);
}

/** The host of an address as sockets and resolvers take it: an IPv6 address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

export function portOf(url: URL): number {
  return url.port ? Number(url.port) : url.protocol === 'https:' ? 443 : 80;
}

const list = (ports: readonly number[]): string => `${ports.slice(0, -1).join(', ')} and ${ports.at(-1)}`;

const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
