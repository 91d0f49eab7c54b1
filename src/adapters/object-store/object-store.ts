/** Where objects are kept: a bucket of an S3-compatible service. */
export interface BucketLocation {
  /** `https://…` of the service; empty: Amazon's own, by region. */
  endpoint: string;
  region: string;
  bucket: string;
}

/** For users: `bucket at https://…`. */
export const bucketName = ({ bucket, endpoint, region }: BucketLocation): string =>
  `bucket ${bucket} at ${endpoint || `Amazon S3 (${region})`}`;

export interface ObjectKeys {
  accessKey: string;
  secretKey: string;
}

export interface ObjectStore {
  /**
   * Uploads a file of the disk, with bounded memory; resolves when the service has all of it. @throws Error with the reason;
   * the signal's reason
   */
  upload(key: string, path: string, signal: AbortSignal): Promise<void>;
  /** @throws Error with the reason, also when the object is missing; the signal's reason */
  download(key: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Removes an object and the rest of its interrupted uploads; a missing one is success. @throws Error with the reason */
  remove(key: string, signal: AbortSignal): Promise<void>;
}
