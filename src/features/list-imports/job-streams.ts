import type { EventBus } from '../../adapters/events/bus.ts';
import { ReplayStream, type StreamMessage } from '../../lib/streams/replay-stream.ts';
import { type ImportJob, noProgress, type Progress } from './job.ts';

/** The live side of import jobs. */
export interface JobStreams {
  /** What is told of a job: where it stands now, then what comes; ended where it has ended. */
  stream(job: ImportJob): ReplayStream;
  /** Tells where a job stands. */
  progress(job: ImportJob): void;
  /** Tells how many rows a check has read so far (all of them: what is left is to ask the tenant); null: it has ended. */
  checking(job: Pick<ImportJob, 'id' | 'rowCount'>, rows: number | null): void;
  /** Tells its end, and ends the stream. */
  complete(job: ImportJob): void;
  /** Of a job that is gone. */
  forget(id: string): void;
}

/** Messages are pictures of the whole, so few of them are worth keeping for who joins. */
const ring = 4;

/** A job's stream, and what it told last. */
interface OpenStream {
  tail: ReplayStream;
  picture: Picture;
}

export function createJobStreams(events: EventBus): JobStreams {
  const streams = new Map<string, OpenStream>();

  const opened = (job: ImportJob): OpenStream => {
    const open = { tail: new ReplayStream({ ring }), picture: pictureOf(job) };
    show(open, {});
    return open;
  };
  const show = (open: OpenStream, news: Partial<Picture>): void => {
    open.picture = { ...open.picture, ...news };
    open.tail.append({ type: 'progress', ...open.picture });
  };
  const tell = (job: ImportJob): void =>
    events.publish({ type: 'import', tenant_id: job.tenantId, job_id: job.id, status: job.status });

  return {
    stream(job) {
      const known = streams.get(job.id);
      if (known) return known.tail;
      const open = opened(job);
      if (job.status === 'completed' || job.status === 'failed') {
        open.tail.append(completeMessage(job));
        open.tail.close();
      } else streams.set(job.id, open);
      return open.tail;
    },
    progress(job) {
      const open = streams.get(job.id);
      if (open) show(open, pictureOf(job));
      tell(job);
    },
    checking({ id, rowCount }, rows) {
      const open = streams.get(id);
      if (!open || (rows === null && !open.picture.check)) return;
      show(open, { check: rows === null ? undefined : { total: rowCount, processed: rows } });
    },
    complete(job) {
      const open = streams.get(job.id);
      streams.delete(job.id);
      if (open) {
        show(open, pictureOf(job));
        open.tail.append(completeMessage(job));
        open.tail.close();
      }
      tell(job);
    },
    forget(id) {
      streams.get(id)?.tail.close();
      streams.delete(id);
    },
  };
}

/** All of where a job stands. */
interface Picture {
  job_id: string;
  status: ImportJob['status'];
  /** Of its import. */
  progress: Progress;
  /** Rows that a check has read, while one goes on. */
  check?: { total: number; processed: number } | undefined;
}

const pictureOf = (job: ImportJob): Picture => ({
  job_id: job.id,
  status: job.status,
  progress: job.progress ?? noProgress(job.rowCount),
});

const completeMessage = (job: ImportJob): StreamMessage => ({
  type: 'complete',
  ...pictureOf(job),
  import_result: job.result,
});
