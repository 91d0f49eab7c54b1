import type { BlockRow } from '../store.ts';
import { packBlock, unpackBlock } from './block.ts';
import { type Bucket, rollUp } from './bucket.ts';
import { levels, startOf } from './levels.ts';

const [tens, minutes, hours, days] = levels;

/** A block that is read before an hour is added to it. */
type ReadBlock = (step: number, start: number) => Uint8Array | undefined;

/**
 * The blocks of a subject with the measurements of one complete hour added. An hour that is added again replaces itself, so the
 * work may be repeated after an interruption.
 * @param measured all measurements of that hour
 * @param now in seconds since 1970: blocks that would be removed at once are left out
 */
export function foldHour(
  { subject, hour, measured, now }: { subject: string; hour: number; measured: readonly Bucket[]; now: number },
  read: ReadBlock,
): BlockRow[] {
  const ofTens = rollUp(measured, tens.step);
  const ofMinutes = rollUp(ofTens, minutes.step);
  const ofHours = replaced(hours, hour, rollUp(ofMinutes, hours.step), read);
  const ofDays = replaced(days, startOf(hour, days.step), rollUp(ofHours, days.step), read);
  const made: [typeof tens | typeof minutes | typeof hours | typeof days, Bucket[]][] = [
    [tens, ofTens],
    [minutes, ofMinutes],
    [hours, ofHours],
    [days, ofDays],
  ];
  return made.flatMap(([level, buckets]) => {
    const start = startOf(hour, level.block);
    if (isOutdated(level, start, now)) return [];
    return [{ subject, step: level.step, start, data: packBlock(buckets, { start, step: level.step }) }];
  });
}

/** Whether a block is older than its level is kept. */
const isOutdated = ({ block, kept }: (typeof levels)[number], start: number, now: number): boolean =>
  start + block + kept <= now;

/** The buckets of a block with one of them replaced. */
function replaced(level: typeof hours | typeof days, at: number, bucket: Bucket[], read: ReadBlock): Bucket[] {
  const start = startOf(at, level.block);
  const block = read(level.step, start);
  const known = block ? unpackBlock(block, { start, step: level.step }) : [];
  return [...known.filter((one) => one.at !== at), ...bucket].sort((one, other) => one.at - other.at);
}
