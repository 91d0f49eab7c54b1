import type { NumberedMessage } from './message.ts';
import type { MessageBlock } from './message-block.ts';

/** How messages stand on one kind of wire. */
export interface WireFormat {
  /** The bytes a message takes there. */
  sizeOf(message: NumberedMessage): number;
  /** Writes it; answers the offset behind it. */
  write(message: NumberedMessage, target: Buffer, offset: number): number;
}

interface Encoded {
  bytes: Buffer;
  /** Where each message ends in it. */
  ends: number[];
}

/**
 * Blocks in one wire format, encoded once for all viewers: what a viewer is to be sent, from any message on, is a view
 * of the same bytes. They go with the block.
 */
export class BlockEncoding {
  readonly #format: WireFormat;
  readonly #encoded = new WeakMap<MessageBlock, Encoded>();

  constructor(format: WireFormat) {
    this.#format = format;
  }

  /** The messages from index `from` up to but not including `to`. The bytes must not be changed. */
  bytesOf(block: MessageBlock, from: number, to: number): Buffer {
    let encoded = this.#encoded.get(block);
    if (!encoded || encoded.ends.length < to) {
      encoded = this.#extend(encoded ?? { bytes: Buffer.alloc(0), ends: [] }, block, to);
      this.#encoded.set(block, encoded);
    }
    const start = from === 0 ? 0 : (encoded.ends[from - 1] ?? 0);
    return encoded.bytes.subarray(start, encoded.ends[to - 1]);
  }

  /** Encodes the messages that came since; bytes already handed out stay as they are. */
  #extend(encoded: Encoded, block: MessageBlock, to: number): Encoded {
    const { ends } = encoded;
    const fresh = block.messages.slice(ends.length, to);
    let at = ends.at(-1) ?? 0;
    const needed = fresh.reduce((sum, message) => sum + this.#format.sizeOf(message), at);
    let { bytes } = encoded;
    if (needed > bytes.length) {
      bytes = Buffer.allocUnsafeSlow(block.isFull() ? needed : Math.max(needed * 2, 4_096));
      encoded.bytes.copy(bytes, 0, 0, at);
    }
    for (const message of fresh) {
      at = this.#format.write(message, bytes, at);
      ends.push(at);
    }
    return { bytes, ends };
  }
}
