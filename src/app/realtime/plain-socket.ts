import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { AppError } from '../../lib/errors.ts';
import { ByteViewer } from '../../lib/streams/byte-viewer.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { WatchEnd } from '../../lib/streams/watch.ts';
import { type Connection, closeCodes, endOf, isRefusal } from './connection.ts';
import { webSocketFrames } from './frame.ts';

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
  readonly #viewer: ByteViewer;
  #alive = true;
  #received = 0;

  constructor({ webSocket, socket, tail, since }: PlainSocketOptions) {
    this.#webSocket = webSocket;
    // Whole frames, between which the library may put its own (ping, close): without compression it writes them at once.
    this.#viewer = new ByteViewer({
      tail,
      since,
      target: socket,
      encoding: webSocketFrames,
      onEnd: (reason) => this.#end(reason),
    });
    webSocket.on('message', () => this.#count());
    webSocket.on('ping', () => this.#count());
    webSocket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('drain', () => {
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

  #end(end: WatchEnd): void {
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
