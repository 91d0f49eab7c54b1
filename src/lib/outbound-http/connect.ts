import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { createConnection, isIP, type LookupFunction, type Socket } from 'node:net';
import { type AddressRule, blockedAddress, refuseTarget, type Target } from './address.ts';
import { OutboundError } from './outbound-error.ts';

/** Resolves a name to all of its addresses, like `dns.lookup`. */
export type Lookup = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Opens a connection to a target.
 * @throws OutboundError blocked, unresolved, refused, timeout; the signal's reason when aborted
 */
export type Connect = (target: Target, signal: AbortSignal) => Promise<Socket>;

const connectTimeoutMs = 10_000;

interface ConnectOptions {
  rule: AddressRule;
  /** Replaces the machine's resolver (tests). */
  lookup?: Lookup;
}

/**
 * The only way to connect to untrusted websites. A name's addresses are checked while the very connection is made that uses
 * them, so that a name that resolves differently the second time gains nothing; only public ones are tried. The peer of the
 * open connection is checked again.
 */
export function createConnect({ rule, lookup = systemLookup }: ConnectOptions): Connect {
  const publicLookup: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true } as LookupAllOptions, (error, addresses) => {
      if (error) return callback(error, []);
      const open = addresses.filter(({ address }) => rule.addressKind(address) === undefined);
      const [first] = open;
      const [closed] = addresses;
      if (!closed) return callback(unresolved(host), []);
      if (!first) {
        const kind = rule.addressKind(closed.address) ?? 'not public';
        return callback(blockedAddress(host, closed.address, kind), []);
      }
      if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };

  return (target, signal) =>
    new Promise((resolve, reject) => {
      const { host, port } = target;
      signal.throwIfAborted();
      refuseTarget(target, rule);
      const socket = createConnection({ host, port, lookup: publicLookup, noDelay: true });
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const fail = (error: unknown): void => {
        end();
        socket.destroy();
        reject(error);
      };
      const abort = (): void => fail(signal.reason);
      const timer = setTimeout(
        () => fail(new OutboundError('timeout', `${host} could not be connected to within 10 seconds`)),
        connectTimeoutMs,
      );
      signal.addEventListener('abort', abort, { once: true });
      // Stays for good: a connection may break before its owner listens.
      socket.on('error', (error) => fail(translated(error, target)));
      socket.once('connect', () => {
        const peer = socket.remoteAddress ?? '';
        const kind = rule.addressKind(peer);
        if (kind !== undefined) return fail(blockedAddress(host, peer, kind));
        end();
        resolve(socket);
      });
    });
}

function translated(error: Error, { host, port }: Target): unknown {
  if (error instanceof OutboundError) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // Several failed addresses come as one AggregateError, with the code of the last.
  if (syscall === 'getaddrinfo' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unresolved(host, error);
  if (code === 'ETIMEDOUT') return new OutboundError('timeout', `${host} does not answer on port ${port}`, error);
  if (code === 'ECONNREFUSED')
    return new OutboundError('refused', `${host} refused the connection on port ${port}`, error);
  const reason = isIP(host) ? `${host}` : `${host} (port ${port})`;
  return new OutboundError('refused', `${reason} could not be connected to: ${code ?? 'unknown reason'}`, error);
}

function unresolved(host: string, cause?: unknown): OutboundError {
  return new OutboundError('unresolved', `The name ${host} does not resolve to an address`, cause);
}
