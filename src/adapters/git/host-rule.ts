import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../lib/errors.ts';
import { isLocalName, nonPublicKind } from '../../lib/ip-address.ts';

/** The target of git's connection. */
export interface GitTarget {
  /** A name in lower case, or an IP address without brackets. */
  host: string;
  port: number;
}

/** Which hosts git may connect to: public ones, and those that the operator lists (GIT_HOSTS). */
export interface HostRule {
  /** The problem with a host as far as its name shows it; undefined if there is none. */
  problemOf(target: GitTarget): string | undefined;
  /**
   * The addresses of a host that git may connect to, IPv4 first. Empty when a host that the operator listed does not resolve
   * here (an alias of ssh's configuration, a name that only the proxy resolves).
   * @throws AppError git_error
   */
  addressesOf(target: GitTarget): Promise<string[]>;
}

/** A private network's addresses: allowed for hosts listed in GIT_HOSTS. All others must be listed themselves. */
const privateKinds = new Set(['private', 'carrier-grade NAT']);
const loopbackAddresses = ['127.0.0.1', '::1'];
const advice = 'Use a public host, or allow this one with GIT_HOSTS';

const resolve = async (host: string): Promise<string[]> =>
  (await systemLookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address);

export function createHostRule({
  allowed,
  throughProxy = false,
  lookup = resolve,
}: {
  /** Host names, `*.example.org`, addresses, each with or without `:port`. */
  allowed: readonly string[];
  /** Whether a proxy may resolve names that do not resolve here. */
  throughProxy?: boolean;
  /** Replaces the machine's resolver (tests). */
  lookup?: (host: string) => Promise<string[]>;
}): HostRule {
  const entries = allowed.flatMap((text) => {
    const entry = parseGitHost(text);
    if (!entry) throw new Error(`Not a host: ${text}`);
    return entry.host === 'localhost' ? [entry, ...loopbackAddresses.map((host) => ({ ...entry, host }))] : [entry];
  });
  const isNamed = ({ host, port }: GitTarget): boolean =>
    entries.some(
      (entry) =>
        (entry.port === undefined || entry.port === port) &&
        (entry.host.startsWith('*.') ? host.endsWith(entry.host.slice(1)) : plain(host) === entry.host),
    );

  function kindOf(target: GitTarget): string | undefined {
    const kind = isIP(target.host) ? nonPublicKind(target.host) : isLocalName(target.host) ? 'local' : undefined;
    return isNamed(target) ? undefined : kind;
  }

  return {
    problemOf(target) {
      const kind = kindOf(target);
      return kind === undefined ? undefined : `must have a public host: ${target.host} is ${kind}. ${advice}`;
    },

    async addressesOf(target) {
      const { host, port } = target;
      const named = isNamed(target);
      const refused = (kind: string): AppError =>
        new AppError('git_error', `The host ${host} of the repository is not public (${kind}). ${advice}`);
      const shown = kindOf(target);
      if (shown !== undefined) throw refused(shown);
      if (isIP(host)) return [host];
      const all = await lookup(host).catch(() => []);
      if (all.length === 0) {
        if (named || throughProxy) return [];
        throw new AppError('git_error', `The host ${host} of the repository does not resolve to an address`);
      }
      const open = all.filter((address) => {
        const kind = kindOf({ host: address, port });
        return kind === undefined || (named && privateKinds.has(kind));
      });
      if (open.length === 0) throw refused(all.map((address) => kindOf({ host: address, port })).join(', '));
      return open;
    },
  };
}

/** An entry of GIT_HOSTS; undefined if it is invalid. */
export function parseGitHost(text: string): { host: string; port: number | undefined } | undefined {
  const [, name = '', bracketed, digits] = /^(?:([^:[\]]+)|\[([^\]]+)\]|)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const host = plain((bracketed ?? name).toLowerCase());
  const isHost = bracketed === undefined ? isHostOrWildcard(host) : isIP(host) === 6;
  return isHost && (port === undefined || (port > 0 && port <= 65_535)) ? { host, port } : undefined;
}

const isHostOrWildcard = (host: string): boolean =>
  host.length <= 253 && /^(?:\*\.)?[a-z\d_](?:[a-z\d_.-]*[a-z\d])?$/.test(host) && !host.includes('..');

/** A canonical spelling of each address; a name without its trailing dot. */
const plain = (host: string): string => (isIP(host) ? ipaddr.parse(host).toString() : host.replace(/\.$/, ''));
