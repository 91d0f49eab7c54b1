/** A message as its producer gives it; the stream adds `seq`. */
export interface StreamMessage {
  type: string;
  [field: string]: unknown;
}

/** One message of a stream with its number (from 1, without gaps) and its JSON, encoded once for all viewers. */
export interface NumberedMessage {
  readonly seq: number;
  readonly json: string;
}

const leadingType = /^\{"type":"(\w+)"/;

/** The `type` of a message. */
export function typeOfMessage(message: NumberedMessage): string {
  return leadingType.exec(message.json)?.[1] ?? String((JSON.parse(message.json) as { type?: unknown }).type);
}
