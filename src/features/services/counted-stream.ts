import type { NumberedMessage } from '../../lib/streams/message.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { Viewer, Watch } from '../../lib/streams/watch.ts';

type StreamOptions = ConstructorParameters<typeof ReplayStream>[0];

/** A stream that counts its viewers. */
export class CountedReplayStream extends ReplayStream {
  readonly #onChange: (viewers: number) => void;
  #viewers = 0;

  constructor(options: StreamOptions, onChange: (viewers: number) => void) {
    super(options);
    this.#onChange = onChange;
  }

  get viewers(): number {
    return this.#viewers;
  }

  override watch(since: number, viewer: Viewer): Watch {
    const leave = this.#enter();
    const watch = super.watch(since, {
      take: (block, from, to) => viewer.take(block, from, to),
      end(reason) {
        leave();
        viewer.end(reason);
      },
    });
    // A stopped watch does not call `end` of its viewer.
    const stop = watch.stop.bind(watch);
    watch.stop = () => {
      leave();
      stop();
    };
    return watch;
  }

  override async *follow(since: number, signal: AbortSignal): AsyncGenerator<readonly NumberedMessage[]> {
    const leave = this.#enter();
    try {
      yield* super.follow(since, signal);
    } finally {
      leave();
    }
  }

  #enter(): () => void {
    let present = true;
    this.#onChange(++this.#viewers);
    return () => {
      if (!present) return;
      present = false;
      this.#onChange(--this.#viewers);
    };
  }
}
