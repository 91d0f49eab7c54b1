import type { Writable } from 'node:stream';
import type { BlockEncoding } from './block-encoding.ts';
import type { MessageBlock } from './message-block.ts';
import type { ReplayStream } from './replay-stream.ts';
import type { Viewer, Watch, WatchEnd } from './watch.ts';

interface ByteViewerOptions {
  tail: ReplayStream;
  /** The last message the viewer has received. */
  since: number;
  /** A socket or an HTTP response. */
  target: Writable;
  encoding: BlockEncoding;
  onEnd(reason: WatchEnd): void;
}

/** Sends a stream to a socket as fast as it drains; what the socket can't take stays in the stream. */
export class ByteViewer implements Viewer {
  readonly #options: ByteViewerOptions;
  readonly #watch: Watch;
  #fullSince: number | undefined;

  constructor(options: ByteViewerOptions) {
    this.#options = options;
    this.#watch = options.tail.watch(options.since, this);
    options.target.on('drain', this.#drained);
  }

  /** How long the socket has accepted nothing, in milliseconds. */
  stalledFor(): number {
    return this.#fullSince === undefined ? 0 : performance.now() - this.#fullSince;
  }

  stop(): void {
    this.#options.target.off('drain', this.#drained);
    this.#watch.stop();
  }

  take(block: MessageBlock, from: number, to: number): boolean {
    const { target, encoding } = this.#options;
    if (target.write(encoding.bytesOf(block, from, to))) return true;
    this.#fullSince = performance.now();
    return false;
  }

  end(reason: WatchEnd): void {
    this.#options.onEnd(reason);
  }

  readonly #drained = (): void => {
    this.#fullSince = undefined;
    this.#watch.resume();
  };
}
