import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import { actingDeadline } from '../../lib/concurrency/acting-deadline.ts';
import { messageOf } from '../../lib/errors.ts';
import { type BucketLocation, bucketName, type ObjectKeys, type ObjectStore } from './object-store.ts';

const mebibyte = 1024 ** 2;
/** An upload has two parts in memory: one being sent and one being read. S3's minimum is 5 MiB except for the last. */
const minPart = 8 * mebibyte;
/** S3's own limit. */
const maxParts = 10_000;
const attempts = 3;
const connectMs = 10_000;
/** Idle timeout. */
const idleMs = 60_000;

/** The SDK is some 20 MiB of code: loaded only with a bucket. */
const loadSdk = () => Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);

/**
 * A bucket of an S3-compatible service. Every request is signed (version 4) with the SHA-256 of its body, which protects its
 * content. Services other than Amazon's are addressed by path, as not all have a host name per bucket.
 */
export function openS3(place: BucketLocation, keys: ObjectKeys): ObjectStore {
  const { bucket: Bucket, endpoint, region } = place;

  async function connect(signal: AbortSignal): Promise<S3Client> {
    signal.throwIfAborted();
    const [{ S3Client }] = await loadSdk();
    const client = new S3Client({
      region,
      ...(endpoint === '' ? {} : { endpoint, forcePathStyle: true }),
      credentials: { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey },
      maxAttempts: attempts,
      requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs },
      // Not every service supports newer checksums; the signed SHA-256 is enough.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // Ignores files and variables of the machine's own AWS tools.
      ignoreConfiguredEndpointUrls: true,
    });
    // Each part of an upload is a request, and each retry.
    client.middlewareStack.add(
      (next) => (request) => {
        actingDeadline.check();
        return next(request);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return client;
  }

  /** Translates an error. @throws the signal's reason */
  function explained(error: unknown, signal: AbortSignal): Error {
    signal.throwIfAborted();
    return new Error(`${bucketName(place)}: ${reasonOf(error)}`, { cause: error });
  }

  async function withClient<T>(signal: AbortSignal, work: (client: S3Client) => Promise<T>): Promise<T> {
    const client = await connect(signal);
    try {
      return await work(client);
    } catch (error) {
      throw explained(error, signal);
    } finally {
      client.destroy();
    }
  }

  return {
    upload: (key, path, signal) =>
      withClient(signal, async (client) => {
        const [{ HeadObjectCommand }, { Upload }] = await loadSdk();
        const { size } = await stat(path);
        await dropUnfinished(client, Bucket, key, signal);
        const Body = createReadStream(path, { highWaterMark: 256 * 1024 });
        const upload = new Upload({
          client,
          params: { Bucket, Key: key, Body, ContentType: 'application/x-tar' },
          partSize: Math.max(minPart, Math.ceil(size / maxParts)),
          queueSize: 1,
        });
        const abort = (): void => void upload.abort().catch(() => undefined);
        signal.addEventListener('abort', abort, { once: true });
        try {
          await upload.done();
        } finally {
          signal.removeEventListener('abort', abort);
          Body.destroy();
        }
        const stored = await client.send(new HeadObjectCommand({ Bucket, Key: key }), { abortSignal: signal });
        if (stored.ContentLength !== size) throw new Error(`it holds ${stored.ContentLength} of ${size} bytes`);
      }),

    async *download(key, signal) {
      const [{ GetObjectCommand }] = await loadSdk();
      const client = await connect(signal);
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }), { abortSignal: signal });
        yield* Body as unknown as AsyncIterable<Uint8Array>;
      } catch (error) {
        throw explained(error, signal);
      } finally {
        client.destroy();
      }
    },

    remove: (key, signal) =>
      withClient(signal, async (client) => {
        const [{ DeleteObjectCommand }] = await loadSdk();
        await client.send(new DeleteObjectCommand({ Bucket, Key: key }), { abortSignal: signal });
        await dropUnfinished(client, Bucket, key, signal);
      }),
  };
}

/**
 * Parts of a killed manager's upload cost as much as an object and are in no listing. A service that can't list them keeps them
 * until its own rule removes them.
 */
async function dropUnfinished(client: S3Client, Bucket: string, key: string, signal: AbortSignal): Promise<void> {
  const [{ AbortMultipartUploadCommand, ListMultipartUploadsCommand }] = await loadSdk();
  const abortSignal = { abortSignal: signal };
  const found = await client
    .send(new ListMultipartUploadsCommand({ Bucket, Prefix: key }), abortSignal)
    .catch(() => undefined);
  for (const { Key, UploadId } of found?.Uploads ?? [])
    if (Key === key) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), abortSignal);
}

const said: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is not known',
  ECONNRESET: 'the connection was reset',
  NoSuchBucket: 'there is no such bucket',
  NoSuchKey: 'there is no such object any more',
  NotFound: 'there is no such object any more',
  AccessDenied: 'access is denied to this key',
  InvalidAccessKeyId: 'the access key is not known there',
  SignatureDoesNotMatch: 'the secret key is wrong',
};

function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  const message = messageOf(error);
  // The SDK wraps some system errors and keeps the code only in the text.
  const inText = /\bE[A-Z]{5,}\b/.exec(message)?.[0];
  return said[String(code)] ?? said[String(name)] ?? said[String(inText)] ?? message;
}
