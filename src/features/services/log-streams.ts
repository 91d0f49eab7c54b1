import type { Runtime, TenantSpace } from '../../adapters/runtimes/runtime.ts';
import { poll } from '../../lib/concurrency/poll.ts';
import { messageOf } from '../../lib/errors.ts';
import { toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ReplayStream, StreamMessage } from '../../lib/streams/replay-stream.ts';
import { CountedReplayStream } from './counted-stream.ts';
import { mergeByTime } from './merge-by-time.ts';
import { roleOf } from './recent-logs.ts';
import { type ServiceName, serviceNames } from './schema.ts';

interface LogTailsOptions {
  runtime: Pick<Runtime, 'logs'>;
  logger: Logger;
  /** How long a log is followed on after its last viewer left: a page that is loaded again finds it (default 10 s). */
  graceMs?: number | undefined;
}

export interface LogStreams {
  /** The live log of one service, or of both: `log` messages {service, message, stream, timestamp}, those of both by time. */
  of(tenant: TenantSpace, service: ServiceName | undefined): ReplayStream;
  /** Ends a tenant's streams. */
  end(tenantId: string): void;
  close(): void;
}

interface Followed {
  tail: CountedReplayStream;
  end(): void;
  /** Puts off the end for want of viewers. */
  touch(): void;
}

/** Lines from before the first viewer came. */
const history = 500;
/** Of both services, and as much again. */
const ring = 2_000;

/**
 * The number that a stream begins after: higher than all of an earlier stream of the same log, whichever manager gave them.
 * One who comes back with an earlier stream's number so gets all there is, and sees by the leap that it is told anew.
 */
const numberNow = (): number => Date.now() * 100;

/** Logs of running services for any number of viewers: each log is followed once, and only while somebody looks on. */
export function createLogStreams({ runtime, logger, graceMs = 10_000 }: LogTailsOptions): LogStreams {
  const followed = new Map<string, Followed>();

  function follow(key: string, source: (signal: AbortSignal) => AsyncIterable<StreamMessage>): ReplayStream {
    const known = followed.get(key);
    known?.touch();
    return known?.tail ?? open(key, source);
  }

  function open(key: string, source: (signal: AbortSignal) => AsyncIterable<StreamMessage>): ReplayStream {
    const abort = new AbortController();
    const end = (): void => {
      clearTimeout(idle);
      if (followed.get(key)?.tail === tail) followed.delete(key);
      abort.abort();
    };
    const touch = (): void => {
      clearTimeout(idle);
      if (tail.viewers > 0) return;
      idle = setTimeout(end, graceMs);
      idle.unref();
    };
    const tail = new CountedReplayStream({ ring, lastSeq: numberNow() }, () => touch());
    let idle: NodeJS.Timeout | undefined;
    touch();
    followed.set(key, { tail, end, touch });
    void pump(key, tail, source(abort.signal), abort.signal).finally(() => {
      end();
      tail.close();
    });
    return tail;
  }

  async function pump(
    key: string,
    tail: ReplayStream,
    source: AsyncIterable<StreamMessage>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const pace = new Backpressure(tail);
      for await (const message of source) {
        tail.append(message);
        await pace.after(message, signal);
      }
    } catch (error) {
      if (!signal.aborted) logger.warn({ log: key, message: messageOf(error) }, 'a log can’t be followed any more');
    }
  }

  const single = (tenant: TenantSpace, service: ServiceName): ReplayStream =>
    follow(`${tenant.id}/${service}`, async function* (signal) {
      const unit = { tenant, role: roleOf[service] };
      for await (const line of runtime.logs(unit, { lines: history, follow: true, signal })) {
        const timestamp = toTimestampOrNull(line.time ?? null);
        yield { type: 'log', service, message: line.message, stream: line.stream, timestamp };
      }
    });

  /** Both services in one, by time: a viewer of the two logs like any other. */
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

type LogMessage = StreamMessage & { timestamp: string | null };

async function* messagesOf(tail: ReplayStream, signal: AbortSignal): AsyncGenerator<LogMessage> {
  for await (const batch of tail.follow(0, signal)) {
    for (const { json } of batch) {
      const { seq: _seq, ...message } = JSON.parse(json) as LogMessage & { seq: number };
      yield message;
    }
  }
}

/** So many lines, or characters, may be read ahead of who looks on: a part of what a stream keeps for those who lag. */
const mostLines = 10_000;
const mostCharacters = 2 * 1024 * 1024;
/** How long one who is slow is waited for: others see five thousand lines a second all the same. */
const timeoutMs = 2_000;

/**
 * Reads a log no faster than its viewers take it, within bounds: what lies ready by the hundred thousand would overtake them,
 * and lines be lost that nothing but our haste drives on. The unit that writes them waits for nobody.
 */
class Backpressure {
  readonly #tail: ReplayStream;
  #lines = 0;
  #characters = 0;

  constructor(tail: ReplayStream) {
    this.#tail = tail;
  }

  /** To be awaited after each message. Never throws. */
  async after({ message }: StreamMessage, signal: AbortSignal): Promise<void> {
    this.#lines += 1;
    this.#characters += String(message).length;
    if (this.#lines < mostLines && this.#characters < mostCharacters) return;
    this.#lines = 0;
    this.#characters = 0;
    const taken = async () => (this.#tail.behind === 0 ? true : undefined);
    await poll(taken, { timeoutMs: timeoutMs, intervalMs: 5, signal }).catch(() => undefined);
  }
}
