import { z } from 'zod';
import { streamMessages } from '../../../src/app/realtime/stream-messages.ts';
import { streamAt } from '../../../src/app/realtime/streams.ts';

type Schemas = Record<string, z.ZodObject | undefined>;

/**
 * A message of the stream at a WebSocket's path, after its schema was checked.
 * @throws Error if the stream has no
 * such message
 */
export function streamMessage<Message>(path: string, json: string): Message {
  const found = streamAt(path.split('?', 1)[0] ?? '');
  const message = JSON.parse(json) as { type: string };
  const schema = found && (streamMessages[found.stream] as Schemas)[message.type];
  if (!schema) throw new Error(`${path} has no messages of type ${message.type}`);
  schema.extend({ seq: z.int() }).strict().parse(message);
  return message as Message;
}
