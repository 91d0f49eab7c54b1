import type { NumberedMessage } from './message.ts';
import type { MessageBlock } from './message-block.ts';

/** The format of messages on one kind of connection. */
export interface WireFormat {
  /** The bytes of an encoded message. */
  sizeOf(message: NumberedMessage): number;
  /** Writes it; returns the offset after it. */
  write(message: NumberedMessage, target: Buffer, offset: number): number;
}

interface Encoded {
  bytes: Buffer;
  /** End offset of each message. */
  ends: number[];
}

/**
 * Blocks in one wire format, encoded once for all viewers: each viewer is sent a view of the same bytes. They are freed with
 * the block.
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

  /** Encodes the messages added since; bytes already handed out stay unchanged. */
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
