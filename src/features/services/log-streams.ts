import type { z } from 'zod';
import type { TenantSpace } from '../../adapters/runtimes/runtime.ts';
import { poll } from '../../lib/concurrency/poll.ts';
import { messageOf } from '../../lib/errors.ts';
import { toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { ServicesDeps } from './bring-up.ts';
import { CountedReplayStream } from './counted-stream.ts';
import { mergeByTime } from './merge-by-time.ts';
import { roleOf } from './recent-logs.ts';
import { type ServiceName, serviceNames, type tenantLogStream } from './schema.ts';

export interface LogStreams {
  /** The live log of one service or both (merged by time): `log` messages {service, message, stream, timestamp}. */
  of(tenant: TenantSpace, service: ServiceName | undefined): ReplayStream;
  /** Ends a tenant's streams. */
  end(tenantId: string): void;
  close(): void;
}

interface Followed {
  stream: CountedReplayStream;
  end(): void;
  /** Restarts the grace period. */
  touch(): void;
}

/** Lines from before the first viewer. */
const initialLines = 500;
/** The initial lines of both services, and as many new ones. */
const replayedMessages = 2_000;

/**
 * The sequence number before a stream's first message: higher than all numbers of earlier streams of the same log, even of an
 * earlier manager. A viewer that reconnects with an earlier number gets the whole stream and detects the gap.
 */
const initialSeq = (): number => Date.now() * 100;

/** Logs of running services for any number of viewers: each log is followed once, and only while it has viewers. */
export function createLogStreams({ runtime, logger, logGraceMs: graceMs = 10_000 }: ServicesDeps): LogStreams {
  const followed = new Map<string, Followed>();

  function follow(key: string, source: (signal: AbortSignal) => AsyncIterable<LogMessage>): ReplayStream {
    const known = followed.get(key);
    known?.touch();
    return known?.stream ?? open(key, source);
  }

  function open(key: string, source: (signal: AbortSignal) => AsyncIterable<LogMessage>): ReplayStream {
    const abort = new AbortController();
    const end = (): void => {
      clearTimeout(idle);
      if (followed.get(key)?.stream === stream) followed.delete(key);
      abort.abort();
    };
    const touch = (): void => {
      clearTimeout(idle);
      if (stream.viewers > 0) return;
      idle = setTimeout(end, graceMs);
      idle.unref();
    };
    const stream = new CountedReplayStream({ ring: replayedMessages, lastSeq: initialSeq() }, () => touch());
    let idle: NodeJS.Timeout | undefined;
    touch();
    followed.set(key, { stream, end, touch });
    void pump(key, stream, source(abort.signal), abort.signal).finally(() => {
      end();
      stream.close();
    });
    return stream;
  }

  async function pump(
    key: string,
    stream: ReplayStream,
    source: AsyncIterable<LogMessage>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const backpressure = new Backpressure(stream);
      for await (const message of source) {
        stream.append(message);
        await backpressure.after(message, signal);
      }
    } catch (error) {
      if (!signal.aborted) logger.warn({ log: key, message: messageOf(error) }, 'following a log failed');
    }
  }

  const single = (tenant: TenantSpace, service: ServiceName): ReplayStream =>
    follow(`${tenant.id}/${service}`, async function* (signal) {
      const unit = { tenant, role: roleOf[service] };
      for await (const line of runtime.logs(unit, { lines: initialLines, follow: true, signal })) {
        const { message, stream, time, node } = line;
        const timestamp = toTimestampOrNull(time ?? null);
        yield { type: 'log', service, message, stream, timestamp, ...(node === undefined ? {} : { node }) };
      }
    });

  /** Both services merged by time; follows the two single logs like any other viewer. */
  const both = (tenant: TenantSpace): ReplayStream =>
    follow(`${tenant.id}/both`, (signal) =>
      mergeByTime(serviceNames.map((service) => messagesOf(single(tenant, service), signal))),
    );

  return {
    of: (tenant, service) => (service ? single(tenant, service) : both(tenant)),
    end(tenantId) {
      for (const service of [...serviceNames, 'both']) followed.get(`${tenantId}/${service}`)?.end();
    },
    close() {
      for (const { end } of [...followed.values()]) end();
    },
  };
}

type LogMessage = z.output<typeof tenantLogStream.log>;

async function* messagesOf(stream: ReplayStream, signal: AbortSignal): AsyncGenerator<LogMessage> {
  for await (const batch of stream.follow(0, signal)) {
    for (const { json } of batch) {
      const { seq: _seq, ...message } = JSON.parse(json) as LogMessage & { seq: number };
      yield message;
    }
  }
}

/** How far reading may be ahead of the viewers: less than a stream keeps for slow ones. */
const maxLinesAhead = 10_000;
const maxCharactersAhead = 2 * 1024 * 1024;
/** How long to wait for slow viewers: the others still get 5,000 lines a second. */
const viewerTimeoutMs = 2_000;

/**
 * Reads a log no faster than its viewers consume it, within bounds: a large existing log would otherwise overtake them and lose
 * lines. The unit that writes the log never waits.
 */
class Backpressure {
  readonly #stream: ReplayStream;
  #lines = 0;
  #characters = 0;

  constructor(stream: ReplayStream) {
    this.#stream = stream;
  }

  /** Await it after each message. Never throws. */
  async after({ message }: LogMessage, signal: AbortSignal): Promise<void> {
    this.#lines += 1;
    this.#characters += message.length;
    if (this.#lines < maxLinesAhead && this.#characters < maxCharactersAhead) return;
    this.#lines = 0;
    this.#characters = 0;
    const taken = async () => (this.#stream.behind === 0 ? true : undefined);
    await poll(taken, { timeoutMs: viewerTimeoutMs, intervalMs: 5, signal }).catch(() => undefined);
  }
}
