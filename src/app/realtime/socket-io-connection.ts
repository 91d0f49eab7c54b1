import type { Socket } from 'socket.io';
import { AppError } from '../../lib/errors.ts';
import { errorAnswer } from '../../lib/http/responses/errors.ts';
import { parse } from '../../lib/http/routing/parse.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Connection, endOf, isRefusal } from './connection.ts';
import { presentable } from './refusal.ts';
import { SocketIoViewer } from './socket-io-viewer.ts';
import { openStream, type StreamRegistry, type StreamRequest, streamRequest } from './streams.ts';

interface SocketIoConnectionOptions {
  socket: Socket;
  streams: StreamRegistry;
  logger: Logger;
}

type Acknowledgement = { ok: true; seq: number } | { ok: false; error: string; code: string };
type Acknowledge = (answer: Acknowledgement) => void;

const mostSubscriptions = 64;

/** A Socket.IO connection and its subscriptions. The library sends the heartbeats. */
export class SocketIoConnection implements Connection {
  readonly #socket: Socket;
  readonly #streams: StreamRegistry;
  readonly #logger: Logger;
  /** A subscription whose stream is still being looked for has no viewer yet. */
  readonly #subscriptions = new Map<string, { viewer?: SocketIoViewer }>();

  constructor({ socket, streams, logger }: SocketIoConnectionOptions) {
    this.#socket = socket;
    this.#streams = streams;
    this.#logger = logger;
    socket.on(
      'subscribe',
      (body: unknown, done: unknown) => void this.#answer(done, () => this.#subscribe(body, done)),
    );
    socket.on('unsubscribe', (body: unknown, done: unknown) => void this.#answer(done, () => this.#unsubscribe(body)));
    socket.on('disconnect', () => this.#stopAll());
    const { conn } = socket;
    // The only event of the library that each transport, polling too, emits when it can send again.
    conn.transport.on('ready', this.#resume);
    conn.on('upgrade', () => {
      conn.transport.on('ready', this.#resume);
      this.#resume();
    });
  }

  revoke(error: AppError): void {
    if (isRefusal(error)) this.#socket.emit('unauthorized', errorAnswer(error));
    this.#socket.disconnect(true);
  }

  goAway(): void {
    this.#socket.disconnect(true);
  }

  heartbeat(): void {}

  dropIfStalled(limit: number): void {
    const stalled = [...this.#subscriptions.values()].some(({ viewer }) => (viewer?.stalledFor() ?? 0) >= limit);
    if (stalled) this.#socket.disconnect(true);
  }

  async #subscribe(body: unknown, done: unknown): Promise<undefined> {
    const request = parse(streamRequest, body);
    const key = keyOf(request);
    // Subscribing again to the same stream restarts it, perhaps from another number.
    this.#drop(key);
    if (this.#subscriptions.size >= mostSubscriptions) {
      throw new AppError('rate_limited', `At most ${mostSubscriptions} subscriptions on one connection`);
    }
    const subscription: { viewer?: SocketIoViewer } = {};
    this.#subscriptions.set(key, subscription);
    const stillWanted = (): boolean => this.#subscriptions.get(key) === subscription;
    try {
      const { tail, since } = await openStream(this.#streams, request);
      acknowledge(done, { ok: true, seq: tail.lastSeq });
      if (!stillWanted()) return;
      const name = { stream: request.stream, id: request.id };
      subscription.viewer = new SocketIoViewer({
        tail,
        since,
        name,
        socket: this.#socket,
        onEnd: (reason) => {
          if (stillWanted()) this.#subscriptions.delete(key);
          this.#socket.emit('closed', endOf[reason], name);
        },
      });
    } catch (error) {
      if (stillWanted()) this.#subscriptions.delete(key);
      throw error;
    }
  }

  async #unsubscribe(body: unknown): Promise<Acknowledgement> {
    const seq = this.#drop(keyOf(parse(streamRequest, body)));
    if (seq === undefined) throw new AppError('not_found', 'There is no such subscription on this connection');
    return { ok: true, seq };
  }

  /** Ends a subscription; answers the last number it was given. */
  #drop(key: string): number | undefined {
    const subscription = this.#subscriptions.get(key);
    if (!subscription) return undefined;
    this.#subscriptions.delete(key);
    subscription.viewer?.stop();
    return subscription.viewer?.seq ?? 0;
  }

  #stopAll(): void {
    for (const key of [...this.#subscriptions.keys()]) this.#drop(key);
  }

  async #answer(done: unknown, work: () => Promise<Acknowledgement | undefined>): Promise<void> {
    try {
      const answer = await work();
      if (answer) acknowledge(done, answer);
    } catch (thrown) {
      const error = presentable(thrown, this.#socket.id, this.#logger);
      acknowledge(done, { ok: false, error: error.message, code: error.code });
    }
  }

  readonly #resume = (): void => {
    for (const { viewer } of this.#subscriptions.values()) viewer?.resume();
  };
}

const keyOf = ({ stream, id, service }: StreamRequest): string => JSON.stringify([stream, id, service ?? '']);

/** The client may have sent something else in the function's place, or nothing. */
function acknowledge(done: unknown, answer: Acknowledgement): void {
  if (typeof done === 'function') (done as Acknowledge)(answer);
}
