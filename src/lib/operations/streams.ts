import { join } from 'node:path';
import { MessageFile } from '../streams/message-file.ts';
import { ReplayStream } from '../streams/replay-stream.ts';

/** Where the stream of an operation is kept. */
export function streamFile(directory: string, id: string): MessageFile {
  return new MessageFile(join(directory, `${id}.ndjson`));
}

/** The stream of an operation that has ended: replayed from its file, then its end. */
export async function endedStream(directory: string, id: string): Promise<ReplayStream> {
  const file = streamFile(directory, id);
  const tail = new ReplayStream({ file, lastSeq: await file.recover(), ring: 1 });
  tail.close();
  return tail;
}
