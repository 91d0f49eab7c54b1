import { type StreamMessage, Tail } from '../../kernel/streams/tail.ts';
import type { EventBus } from '../../platform/events/bus.ts';
import type { ImportJob } from './job.ts';
import { noProgress } from './job.ts';

/** The live side of import jobs. */
export interface JobStreams {
  /** What is told of a job: where it stands now, then what comes; ended where it has ended. */
  stream(job: ImportJob): Tail;
  /** Tells where a job stands. */
  progress(job: ImportJob): void;
  /** Tells its end, and ends the stream. */
  complete(job: ImportJob): void;
  /** Of a job that is gone. */
  forget(id: string): void;
}

/** Messages are pictures of the whole, so few of them are worth keeping. */
const ring = 200;

export function createJobStreams(events: EventBus): JobStreams {
  const tails = new Map<string, Tail>();

  const opened = (job: ImportJob): Tail => {
    const tail = new Tail({ ring });
    tail.append(progressMessage(job));
    return tail;
  };
  const tell = (job: ImportJob): void =>
    events.publish({ type: 'import', tenant_id: job.tenantId, job_id: job.id, status: job.status });

  return {
    stream(job) {
      const open = tails.get(job.id);
      if (open) return open;
      const tail = opened(job);
      if (job.status === 'completed' || job.status === 'failed') {
        tail.append(completeMessage(job));
        tail.close();
      } else tails.set(job.id, tail);
      return tail;
    },
    progress(job) {
      tails.get(job.id)?.append(progressMessage(job));
      tell(job);
    },
    complete(job) {
      const tail = tails.get(job.id);
      tails.delete(job.id);
      tail?.append(progressMessage(job));
      tail?.append(completeMessage(job));
      tail?.close();
      tell(job);
    },
    forget(id) {
      tails.get(id)?.close();
      tails.delete(id);
    },
  };
}

const progressMessage = (job: ImportJob): StreamMessage => ({
  type: 'progress',
  job_id: job.id,
  status: job.status,
  progress: job.progress ?? noProgress(job.rowCount),
});

const completeMessage = (job: ImportJob): StreamMessage => ({
  type: 'complete',
  job_id: job.id,
  status: job.status,
  progress: job.progress ?? noProgress(job.rowCount),
  import_result: job.result,
});
