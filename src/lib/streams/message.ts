/** A message as its producer gives it; the stream adds `seq`. */
export interface StreamMessage {
  type: string;
  [field: string]: unknown;
}

/** One message of a stream with its number (from 1, without gaps) and its JSON, shared by all viewers. */
export interface NumberedMessage {
  readonly seq: number;
  readonly json: string;
}

/** A batch is full at whichever limit comes first. About one socket write: more gains no speed and blocks other work longer. */
const batchLimits = { messages: 256, characters: 32_768 } as const;

/** Whether a batch of this size is full. */
export const isFullBatch = (messages: number, characters: number): boolean =>
  messages >= batchLimits.messages || characters >= batchLimits.characters;

const leadingType = /^\{"type":"(\w+)"/;

/** The `type` of a message. */
export function typeOfMessage(message: NumberedMessage): string {
  return leadingType.exec(message.json)?.[1] ?? String((JSON.parse(message.json) as { type?: unknown }).type);
}
