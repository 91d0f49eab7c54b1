import type { BucketLocation, ObjectStore } from '../../../adapters/object-store/object-store.ts';

/** The bucket for copies of backups, if one is configured. */
export interface Offsite {
  /** `prefix` is the start of object names; null: no bucket is configured. */
  destination(): Promise<{ location: BucketLocation; prefix: string } | null>;
  /** Opens a bucket with the current keys. @throws Error if none are configured */
  open(place: BucketLocation): Promise<ObjectStore>;
}

const firstDelayMs = 5 * 60_000;
const maxDelayMs = 6 * 3_600_000;

/** The delay after a number of failures in a row: five minutes, doubled after each failure, at most six hours. */
export function retryDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
}
