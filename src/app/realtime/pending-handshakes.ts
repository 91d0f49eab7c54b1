import type { IncomingMessage } from 'node:http';
import { networkOf } from '../../lib/ip-address.ts';

/** What is needed of an engine.io connection. */
export interface Transport {
  request: IncomingMessage;
  /** @param discard at once, without waiting for what is still to be sent */
  close(discard?: boolean): void;
  once(event: 'close', listener: () => void): unknown;
}

interface Options {
  addressOf(request: IncomingMessage): string;
  maxTotal?: number;
  maxPerAddress?: number;
  /** Milliseconds that a connection has to show who it is. */
  timeout?: number;
}

/** Socket.io connections that have not shown a token yet: anybody can open them, so there are few and they don't last. */
export class PendingHandshakes {
  readonly #pending = new Map<Transport, { address: string; timer: NodeJS.Timeout }>();
  readonly #options: Required<Options>;

  constructor(options: Options) {
    this.#options = { maxTotal: 500, maxPerAddress: 100, timeout: 10_000, ...options };
  }

  hasRoomFor(request: IncomingMessage): boolean {
    if (this.#pending.size >= this.#options.maxTotal) return false;
    const address = networkOf(this.#options.addressOf(request));
    const ofAddress = [...this.#pending.values()].filter((pending) => pending.address === address);
    return ofAddress.length < this.#options.maxPerAddress;
  }

  add(transport: Transport): void {
    const timer = setTimeout(() => transport.close(true), this.#options.timeout);
    timer.unref();
    this.#pending.set(transport, { address: networkOf(this.#options.addressOf(transport.request)), timer });
    transport.once('close', () => this.admitted(transport));
  }

  /** The connection has shown a token, or is closed. */
  admitted(transport: Transport): void {
    clearTimeout(this.#pending.get(transport)?.timer);
    this.#pending.delete(transport);
  }
}
