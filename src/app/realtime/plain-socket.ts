import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { AppError } from '../../lib/errors.ts';
import type { NumberedMessage } from '../../lib/streams/message.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { Viewer, type ViewerEnd } from '../../lib/streams/viewer.ts';
import { type Connection, closeCodes, endOf, isRefusal } from './connection.ts';

interface PlainSocketOptions {
  webSocket: WebSocket;
  /** The socket of the WebSocket. */
  socket: Duplex;
  tail: ReplayStream;
  since: number;
}

/** A viewer that was too slow gets its close frame if it drains within this time, else it is cut off. */
const graceToClose = 2_000;
/** Clients send nothing here; a few unexpected messages between two heartbeats are ignored. */
const mostMessagesPerHeartbeat = 100;

/** One plain WebSocket and its one stream. */
export class PlainSocket implements Connection {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #viewer: Viewer;
  #alive = true;
  #received = 0;

  constructor({ webSocket, socket, tail, since }: PlainSocketOptions) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#viewer = new Viewer({
      stream: tail,
      since,
      send: (batch) => this.#send(batch),
      onEnd: (reason) => this.#end(reason),
    });
    webSocket.on('message', () => this.#count());
    webSocket.on('ping', () => this.#count());
    webSocket.on('pong', () => {
      this.#alive = true;
    });
    // Too large a message, a broken frame: the library closes with the fitting code.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => this.#viewer.stop());
  }

  revoke(error: AppError): void {
    this.#close(isRefusal(error) ? closeCodes.unauthorized : closeCodes.failed, error.code);
    // The peer may never answer the close frame.
    setTimeout(() => this.#webSocket.terminate(), graceToClose).unref();
  }

  goAway(): void {
    this.#close(closeCodes.goingAway, 'the manager is stopping');
  }

  heartbeat(): void {
    this.#received = 0;
    if (!this.#alive) {
      this.#webSocket.terminate();
      return;
    }
    this.#alive = false;
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping();
  }

  dropIfStalled(limit: number): void {
    if (this.#viewer.stalledFor() >= limit) this.#end('lagged');
  }

  /** One write for the whole batch: a tenth of the processor time of one write a message. */
  async #send(batch: readonly NumberedMessage[]): Promise<void> {
    const taken = Promise.withResolvers<void>();
    this.#socket.cork();
    for (const { seq, json } of batch) {
      if (seq === batch.at(-1)?.seq) this.#webSocket.send(json, () => taken.resolve());
      else this.#webSocket.send(json);
    }
    this.#socket.uncork();
    await taken.promise;
    this.#alive = true;
  }

  #end(end: ViewerEnd): void {
    const { code, reason } = endOf[end];
    this.#close(code, reason);
    if (end === 'lagged') setTimeout(() => this.#webSocket.terminate(), graceToClose).unref();
  }

  /** Behind the close frame no other frame may come. */
  #close(code: number, reason: string): void {
    this.#viewer.stop();
    this.#webSocket.close(code, reason);
  }

  #count(): void {
    this.#received += 1;
    if (this.#received > mostMessagesPerHeartbeat) this.#close(closeCodes.policy, 'too many messages');
  }
}
