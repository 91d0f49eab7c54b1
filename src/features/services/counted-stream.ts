import type { NumberedMessage } from '../../lib/streams/message.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { Viewer, Watch } from '../../lib/streams/watch.ts';

type TailOptions = ConstructorParameters<typeof ReplayStream>[0];

/** A stream that knows whether anybody looks on. */
export class CountedReplayStream extends ReplayStream {
  readonly #onChange: (viewers: number) => void;
  #viewers = 0;

  constructor(options: TailOptions, onChange: (viewers: number) => void) {
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
    // A watch that is stopped does not tell its viewer.
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
    let here = true;
    this.#onChange(++this.#viewers);
    return () => {
      if (!here) return;
      here = false;
      this.#onChange(--this.#viewers);
    };
  }
}
