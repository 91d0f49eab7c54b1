import { z } from 'zod';
import { type ReplayStream, ViewerLagged } from '../../../lib/streams/replay-stream.ts';

const message = z.object({ type: z.string(), message: z.string().optional() });

/** The log lines of a stream so far, as one text; where the disk was full for some of them, up to those. */
export async function logText(tail: ReplayStream): Promise<string> {
  const lines: string[] = [];
  const { lastSeq } = tail;
  const done = new AbortController();
  if (lastSeq === 0) return '';
  try {
    for await (const batch of tail.follow(0, done.signal)) {
      for (const { json } of batch) {
        const { type, message: line } = message.parse(JSON.parse(json));
        if (type === 'log' && line !== undefined) lines.push(line);
      }
      if ((batch.at(-1)?.seq ?? 0) >= lastSeq) break;
    }
  } catch (error) {
    if (!(error instanceof ViewerLagged)) throw error;
    lines.push('(What follows could not be kept)');
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
