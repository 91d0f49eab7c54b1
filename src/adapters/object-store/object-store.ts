/** Where objects are kept: a bucket of an S3-compatible service. */
export interface ObjectPlace {
  /** `https://…` of the service; empty: Amazon's own, by region. */
  endpoint: string;
  region: string;
  bucket: string;
}

/** For people: `bucket at https://…`. */
export const placeName = ({ bucket, endpoint, region }: ObjectPlace): string =>
  `bucket ${bucket} at ${endpoint || `Amazon S3 (${region})`}`;

export interface ObjectKeys {
  accessKey: string;
  secretKey: string;
}

export interface ObjectStore {
  /** Stores a file of the disk, with bounded memory; resolves when the service holds all of it. @throws Error with the reason; the signal's reason */
  upload(key: string, path: string, signal: AbortSignal): Promise<void>;
  /** @throws Error with the reason, also where there is no such object; the signal's reason */
  download(key: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Removes an object and what an upload of it that was cut off has left; none there is success. @throws Error with the reason */
  remove(key: string, signal: AbortSignal): Promise<void>;
}
