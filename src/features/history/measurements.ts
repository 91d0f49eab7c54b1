import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/http/routing/formats.ts';
import { keyOf, type Metric, metricsOf, type Subject } from './metrics.ts';
import type { Recorder } from './recorder.ts';
import type { Bucket } from './rollups/bucket.ts';
import { levelFor, type Range, ranges, startOf } from './rollups/levels.ts';
import type { metricsAnswer } from './schema.ts';

export interface Question {
  range: Range;
  step?: number | undefined;
}

/** Answers questions about the measurements of a subject. */
export function createMeasurements(recorder: Pick<Recorder, 'read'>, clock: Clock) {
  /** @throws AppError validation_error if so fine a step is not kept for so long */
  return async (subject: Subject, { range, step: asked }: Question): Promise<z.input<typeof metricsAnswer>> => {
    const { seconds, step: usual } = ranges[range];
    const step = asked ?? usual;
    const level = step > seconds ? undefined : levelFor(step, seconds);
    if (!level)
      throw new AppError('validation_error', `step: periods of ${step} s are not kept for a range of ${range}`, {
        issues: [{ path: 'step', message: `must suit the range: it is ${usual} by default` }],
      });
    const now = clock.now();
    const from = startOf(now.getTime() / 1_000 - seconds, step);
    const buckets = (await recorder.read({ subjects: [keyOf(subject)], level, step, from })).get(keyOf(subject)) ?? [];
    return {
      from: toTimestamp(new Date(from * 1_000)),
      to: toTimestamp(now),
      step,
      at: buckets.map(({ at }) => at),
      series: metricsOf[subject.kind].map((metric, index) => seriesOf(metric, index, buckets)),
    };
  };
}

function seriesOf({ name, unit, isSum }: Metric, index: number, buckets: readonly Bucket[]) {
  const of = buckets.map(({ stats }) => stats[index]);
  return {
    name,
    unit,
    values: of.map((stat) => (stat ? shown(isSum ? stat.sum : stat.sum / stat.count) : null)),
    max: of.map((stat) => (stat ? shown(stat.max) : null)),
  };
}

/** Six digits: the answer is half as long, and stored values have seven. */
const shown = (value: number): number => Number(value.toPrecision(6));
