import type { Socket } from 'socket.io';
import type { NumberedMessage } from '../../lib/streams/message.ts';
import type { MessageBlock } from '../../lib/streams/message-block.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { Viewer, Watch, WatchEnd } from '../../lib/streams/watch.ts';

/** The stream that a message belongs to, sent with it. */
export interface StreamName {
  stream: string;
  id: string;
}

interface SocketIoViewerOptions {
  tail: ReplayStream;
  since: number;
  name: StreamName;
  socket: Socket;
  onEnd(reason: WatchEnd): void;
}

/** One subscription of a Socket.io connection. */
export class SocketIoViewer implements Viewer {
  readonly #options: SocketIoViewerOptions;
  readonly #watch: Watch;
  #fullSince: number | undefined;

  constructor(options: SocketIoViewerOptions) {
    this.#options = options;
    this.#watch = options.tail.watch(options.since, this);
  }

  /** The number of the last message sent. */
  get seq(): number {
    return this.#watch.cursor;
  }

  /** How long the connection has accepted no data, in milliseconds. */
  stalledFor(): number {
    return this.#fullSince === undefined ? 0 : performance.now() - this.#fullSince;
  }

  /** The connection has room again. */
  resume(): void {
    this.#fullSince = undefined;
    this.#watch.resume();
  }

  stop(): void {
    this.#watch.stop();
  }

  take(block: MessageBlock, from: number, to: number): boolean {
    const { socket, name } = this.#options;
    for (const message of block.messages.slice(from, to)) socket.emit('message', parsed(message), name);
    if (socket.conn.transport.writable) return true;
    this.#fullSince = performance.now();
    return false;
  }

  end(reason: WatchEnd): void {
    this.#options.onEnd(reason);
  }
}

/** Socket.io takes objects; each message is parsed once for all who see it. */
const objects = new WeakMap<NumberedMessage, unknown>();

function parsed(message: NumberedMessage): unknown {
  let object = objects.get(message);
  if (object === undefined) {
    object = JSON.parse(message.json);
    objects.set(message, object);
  }
  return object;
}
