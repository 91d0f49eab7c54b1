/** One field of a protobuf message: a number for varints, the bytes for strings, bytes and nested messages. */
export interface Field {
  number: number;
  value: number | Buffer;
}

/**
 * The fields of a protobuf message, in their order; fixed-size numbers are passed over. Enough for the build messages of
 * the engine, for which a schema compiler would be a dependency too many.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; at < message.length; shift *= 128) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varint();
        yield { number, value: message.subarray(at, at + length) };
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return;
    }
  }
}

/** A nested message's or string's bytes by field number; the last one counts, as protobuf has it. */
export function bytesIn(message: Buffer, number: number): Buffer | undefined {
  let found: Buffer | undefined;
  for (const field of fieldsOf(message))
    if (field.number === number && Buffer.isBuffer(field.value)) found = field.value;
  return found;
}

export const textIn = (message: Buffer, number: number): string => bytesIn(message, number)?.toString('utf8') ?? '';
