import type { z } from 'zod';
import type { EventBus } from '../../adapters/events/bus.ts';
import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { noProgress } from './job.ts';
import type { importStream } from './schema.ts';
import type { ImportJob } from './store.ts';

/** Each message has the full state, so a few suffice for replay. */
const ring = 4;

/** A job's stream and its last message. */
interface OpenStream {
  tail: ReplayStream;
  picture: Picture;
}

export type JobStreams = ReturnType<typeof createJobStreams>;

/** The live side of import jobs. */
export function createJobStreams(events: EventBus) {
  const streams = new Map<string, OpenStream>();

  const opened = (job: ImportJob): OpenStream => {
    const open = { tail: new ReplayStream({ ring }), picture: pictureOf(job) };
    show(open, {});
    return open;
  };
  const show = (open: OpenStream, changes: Partial<Picture>): void => {
    open.picture = { ...open.picture, ...changes };
    const message: z.input<typeof importStream.progress> = { type: 'progress', ...open.picture };
    open.tail.append({ ...message });
  };
  const publish = (job: ImportJob): void =>
    events.publish({ type: 'import', tenant_id: job.tenantId, job_id: job.id, status: job.status });

  return {
    /** A job's messages: its current state, then changes; closed if the job has ended. */
    stream(job: ImportJob): ReplayStream {
      const known = streams.get(job.id);
      if (known) return known.tail;
      const open = opened(job);
      if (job.status === 'completed' || job.status === 'failed') {
        open.tail.append(completeMessage(job));
        open.tail.close();
      } else streams.set(job.id, open);
      return open.tail;
    },
    /** Sends a job's current state. */
    progress(job: ImportJob): void {
      const open = streams.get(job.id);
      if (open) show(open, pictureOf(job));
      publish(job);
    },
    /** Publishes the rows a check has read so far (all rows: it waits for the tenant's answer); null when the check has ended. */
    checking({ id, rowCount }: Pick<ImportJob, 'id' | 'rowCount'>, rows: number | null): void {
      const open = streams.get(id);
      if (!open || (rows === null && !open.picture.check)) return;
      show(open, { check: rows === null ? undefined : { total: rowCount, processed: rows } });
    },
    /** Sends its end and closes the stream. */
    complete(job: ImportJob): void {
      const open = streams.get(job.id);
      streams.delete(job.id);
      if (open) {
        show(open, pictureOf(job));
        open.tail.append(completeMessage(job));
        open.tail.close();
      }
      publish(job);
    },
    /** Of a deleted job. */
    forget(id: string): void {
      streams.get(id)?.tail.close();
      streams.delete(id);
    },
  };
}

/** The full state of a job. */
type Picture = Omit<z.input<typeof importStream.progress>, 'type'>;

const pictureOf = (job: ImportJob): Picture => ({
  job_id: job.id,
  status: job.status,
  progress: job.progress ?? noProgress(job.rowCount),
});

const completeMessage = (job: ImportJob): z.input<typeof importStream.complete> => ({
  type: 'complete',
  ...pictureOf(job),
  import_result: job.result,
});
