import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockEncoding } from '../../streams/block-encoding.ts';
import { ByteViewer } from '../../streams/byte-viewer.ts';
import { type NumberedMessage, typeOfMessage } from '../../streams/message.ts';
import type { ReplayStream } from '../../streams/replay-stream.ts';

const eventOf = (message: NumberedMessage): string =>
  `id: ${message.seq}\nevent: ${typeOfMessage(message)}\ndata: ${message.json}\n\n`;

const serverSentEvents = new BlockEncoding({
  sizeOf: (message) => Buffer.byteLength(eventOf(message)),
  write: (message, target, offset) => offset + target.write(eventOf(message), offset),
});

/**
 * Answers with a stream as server-sent events: what comes after `since`, then what follows, until the stream or the
 * client ends it. A browser that reconnects after the end of a stream that it has read completely gets 204.
 */
export async function serveTail(
  request: IncomingMessage,
  response: ServerResponse,
  tail: ReplayStream,
  options: {
    /** The last message the client has seen; `Last-Event-ID` goes before it. */
    since?: number;
    /** Milliseconds between the comments that keep the connection open. */
    commentEvery?: number;
    /** A client that reads nothing for this many milliseconds is dropped. */
    dropAfter?: number;
  } = {},
): Promise<void> {
  const resumed = lastEventId(request);
  if (resumed !== undefined && tail.closed && resumed >= tail.lastSeq) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  const closed = Promise.withResolvers<void>();
  response.once('close', () => closed.resolve());
  // A socket that breaks also closes.
  response.on('error', () => undefined);
  if (response.destroyed) return;
  const viewer = new ByteViewer({
    tail,
    since: resumed ?? options.since ?? 0,
    target: response,
    encoding: serverSentEvents,
    // To one that was too slow or can't be served further, a broken connection says: come back.
    onEnd: (reason) => void (reason === 'ended' ? response.end() : response.destroy()),
  });
  const commentEvery = options.commentEvery ?? 15_000;
  const dropAfter = options.dropAfter ?? 30_000;
  const timer = setInterval(
    () => {
      const stalled = viewer.stalledFor();
      if (stalled >= dropAfter) response.destroy();
      else if (stalled === 0) response.write(':\n\n');
    },
    Math.min(commentEvery, dropAfter),
  );
  timer.unref();
  await closed.promise;
  clearInterval(timer);
  viewer.stop();
}

/** The `Last-Event-ID` of a browser's `EventSource`; values that are no message number are ignored. */
function lastEventId(request: IncomingMessage): number | undefined {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
