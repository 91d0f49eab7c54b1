import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { newId } from '../../lib/ids.ts';
import {
  keyOf,
  type MetricName,
  metricsOf,
  type Subject,
  type SubjectKind,
  subjectOf,
  type Values,
} from './metrics.ts';
import { unpackBlock } from './rollups/block.ts';
import { type Bucket, bucketOf, rollUp, type Sample } from './rollups/bucket.ts';
import { foldHour } from './rollups/fold.ts';
import { type Level, levels, startOf } from './rollups/levels.ts';
import { OpenSamples } from './rollups/open-samples.ts';
import type { BlockRow, HistoryStore } from './store.ts';

const hour = 3_600;
/** An hour is rolled up this long after its end, in seconds: measurements that began in it have arrived. */
const settlingSeconds = 60;
/** Subjects rolled up in one transaction: others may read and write between two. */
const foldedAtOnce = 50;
/** Significant digits that are kept, in memory and in the journal alike: those of a 32-bit float. */
const digits = 7;

interface Selection {
  subjects?: readonly string[];
  level: Level;
  /** In seconds, a multiple of the level's. */
  step: number;
  /** Seconds since 1970. */
  from: number;
  until?: number;
}

/**
 * Keeps measurements: those of the open hour in memory and, about a minute later, in the journal; a complete hour as blocks. A killed
 * manager loses what is not journaled.
 */
export function createRecorder(store: HistoryStore, clock: Clock) {
  const open = new Map<string, OpenSamples>();
  let pending: { key: string; sample: Sample }[] = [];
  /** What arrives later of an hour before this one counts to this one: a rolled up hour must not change. */
  let openFrom = 0;
  let foldedUntil = 0;
  /** A reader sees a subject's hour in memory or in its blocks, never in both. */
  const lock = new KeyedLock();
  const nowSeconds = (): number => clock.now().getTime() / 1_000;

  function keep(key: string, sample: Sample): void {
    const samples = open.get(key) ?? new OpenSamples(metricsOf[subjectOf(key).kind].length);
    open.set(key, samples);
    samples.add(sample);
  }

  /** Writes what was added since the last time; what could not be written is tried again. */
  async function journal(): Promise<void> {
    const batch = pending;
    pending = [];
    const byHour = Map.groupBy(batch, ({ sample }) => startOf(sample.at, hour));
    for (const [at, samples] of byHour) {
      try {
        await store.append({ id: newId(), at, samples: journaled(samples) });
      } catch (error) {
        pending = [...batch.filter(({ sample }) => startOf(sample.at, hour) >= at), ...pending];
        throw error;
      }
    }
  }

  async function foldUntil(end: number): Promise<void> {
    const now = nowSeconds();
    const keys = [...open.keys()];
    for (let first = 0; first < keys.length; first += foldedAtOnce) {
      const some = keys.slice(first, first + foldedAtOnce);
      await lock.run('fold', async () => {
        await foldSome(some, end, now);
        for (const key of some) if (open.get(key)?.removeBefore(end) === false) open.delete(key);
      });
    }
    await store.removeJournal(end);
    for (const level of levels) await store.removeBlocks(level.step, startOf(now - level.kept, level.block));
    await store.removeOrphans();
    foldedUntil = end;
  }

  async function foldSome(keys: readonly string[], end: number, now: number): Promise<void> {
    const hours = new Map(keys.map((key) => [key, hoursOf(open.get(key), end)]));
    const all = [...hours.values()].flat();
    if (all.length === 0) return;
    await store.transaction(async (transaction) => {
      const blocks = new Map<string, BlockRow>();
      const nameOf = (row: Omit<BlockRow, 'data'>): string => `${row.subject} ${row.step} ${row.start}`;
      for (const { step, block } of levels.slice(2)) {
        const from = startOf(Math.min(...all), block);
        for (const row of await store.blocks({ subjects: keys, step, from, until: end }, transaction))
          blocks.set(nameOf(row), row);
      }
      const changed = new Map<string, BlockRow>();
      for (const [subject, starts] of hours)
        for (const start of starts) {
          const measured = [...(open.get(subject)?.read({ from: start, until: start + hour }) ?? [])].map(bucketOf);
          const read = (step: number, of: number) => blocks.get(nameOf({ subject, step, start: of }))?.data;
          for (const row of foldHour({ subject, hour: start, measured, now }, read)) {
            blocks.set(nameOf(row), row);
            changed.set(nameOf(row), row);
          }
        }
      await store.save([...changed.values()], transaction);
    });
  }

  return {
    /** Keeps a measurement; those of a time that is rolled up count to the open hour. */
    add<Kind extends SubjectKind>(subject: Subject & { kind: Kind }, at: Date, values: Values<Kind>): void {
      const key = keyOf(subject);
      const sample = {
        at: Math.max(at.getTime() / 1_000, openFrom),
        values: metricsOf[subject.kind].map(({ name }) => short(values[name as MetricName<Kind>] ?? Number.NaN)),
      };
      keep(key, sample);
      pending.push({ key, sample });
    },
    /** Reads the journal of an earlier manager. Call it once, before measurements are read. */
    async open(): Promise<void> {
      for (const { samples } of await store.journal())
        for (const [key, rows] of Object.entries(samples))
          for (const [at, ...values] of rows)
            keep(key, { at: at ?? 0, values: values.map((value) => value ?? Number.NaN) });
    },
    /** Journals what was measured, and rolls up the hours that are complete. */
    async save(): Promise<void> {
      const end = startOf(nowSeconds() - settlingSeconds, hour);
      // Before the journal is written: all of a complete hour must be in it, as an interrupted roll-up is repeated from there.
      openFrom = Math.max(openFrom, end);
      await journal();
      if (end > foldedUntil) await foldUntil(end);
    },
    journal,
    /** Measurements by subject, joined to `step` seconds, oldest first. @param subjects undefined: all, tenants and others */
    read({ subjects, level, step, from, until = Infinity }: Selection): Promise<Map<string, Bucket[]>> {
      return lock.run('fold', async () => {
        const found = new Map<string, Bucket[]>();
        const put = (key: string, buckets: Bucket[]): void => {
          const inside = buckets.filter(({ at }) => at >= from && at < until);
          if (inside.length > 0) found.set(key, [...(found.get(key) ?? []), ...inside]);
        };
        const rows = await store.blocks({
          ...(subjects ? { subjects } : {}),
          step: level.step,
          from: startOf(from, level.block),
          until: Math.min(until, nowSeconds() + level.block),
        });
        for (const { subject, start, data } of rows) put(subject, unpackBlock(data, { start, step: level.step }));
        for (const key of subjects ?? open.keys()) {
          const samples = open.get(key)?.read({ from: 0, until: Infinity }) ?? [];
          put(key, rollUp([...samples].map(bucketOf), level.step));
        }
        return new Map([...found].map(([key, buckets]) => [key, rollUp(buckets, step)]));
      });
    },
    /** Removes what is known of a subject. */
    async forget(subject: Subject): Promise<void> {
      open.delete(keyOf(subject));
      pending = pending.filter(({ key }) => key !== keyOf(subject));
      await store.removeSubject(keyOf(subject));
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;

function journaled(samples: readonly { key: string; sample: Sample }[]): Record<string, (number | null)[][]> {
  const bySubject: Record<string, (number | null)[][]> = {};
  for (const { key, sample } of samples) {
    const row = [sample.at, ...Array.from(sample.values, (value) => (Number.isNaN(value) ? null : value))];
    while (row.at(-1) === null) row.pop();
    bySubject[key] ??= [];
    bySubject[key].push(row);
  }
  return bySubject;
}

const short = (value: number): number => Number(value.toPrecision(digits));

/** The complete hours of these samples. */
const hoursOf = (samples: OpenSamples | undefined, end: number): number[] =>
  [...new Set([...(samples?.read({ from: 0, until: end }) ?? [])].map(({ at }) => startOf(at, hour)))].sort(
    (one, other) => one - other,
  );
