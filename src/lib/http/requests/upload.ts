import { statfs } from 'node:fs/promises';
import type { Request, Response } from 'express';
import { AppError, invalid } from '../../errors.ts';
import { open } from '../../files/changes.ts';
import { foreignLine } from '../../text/foreign-text.ts';
import { formFailure, tooLarge } from './form-failure.ts';

/** A request with a form, and its answer. */
export interface FormExchange {
  request: Request;
  response: Response;
}

interface Upload {
  path: string;
  /** Bytes. */
  size: number;
  /** What the sender calls it: the last part of the path, without control characters, at most 255 characters. */
  originalName: string;
  /** The form's other fields, unchecked. */
  fields: Record<string, unknown>;
}

/** Of the form around the file. */
const fieldLimits = { files: 1, fields: 10, parts: 12, fieldSize: 4_096, fieldNameSize: 100, headerPairs: 50 };
/** A form's boundaries and headers: what a request is longer by than its file. */
const formBytes = 16 * 1024;
const mebibyte = 1024 ** 2;

/**
 * Takes one file of a multipart form to the disk as it comes; it is synced when this resolves.
 * @throws AppError unsupported_media_type, payload_too_large, insufficient_storage; validation_error naming the field
 */
export async function receiveFile(
  { request, response }: FormExchange,
  options: {
    /** The form's field that contains the file. */
    field: string;
    /** The target directory, which exists; the caller empties it if this throws. */
    directory: string;
    /** The file's name there. */
    name: string;
    maxBytes: number;
  },
): Promise<Upload> {
  const { field, directory, name, maxBytes } = options;
  if (!request.is('multipart/form-data'))
    throw new AppError('unsupported_media_type', `This route takes multipart/form-data with the field ${field}`);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes + formBytes) throw tooLarge(maxBytes);
  await assertRoom(directory, announced);

  const { default: multer } = await import('multer');
  const receive = multer({
    storage: multer.diskStorage({
      destination: directory,
      filename: (_request, _file, done) => done(null, name),
    }),
    limits: { ...fieldLimits, fileSize: maxBytes },
    // What browsers send; without it names with letters beyond ASCII arrive garbled.
    defParamCharset: 'utf8',
  }).single(field);
  try {
    await new Promise<void>((resolve, reject) => {
      receive(request, response, (error: unknown) => (error ? reject(error) : resolve()));
    });
    if (request.file) await sync(request.file.path);
  } catch (error) {
    throw formFailure(error, {
      request,
      field,
      maxBytes,
      unexpected: `One file is taken, in the field ${field}`,
    });
  }
  const { file } = request;
  if (!file) throw invalid(field, 'Required: a file');
  return { path: file.path, size: file.size, originalName: shownName(file.originalname), fields: { ...request.body } };
}

/** A name as text to be shown; what a sender may make of it is never used as a path. */
function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  return [...foreignLine(last)].slice(0, 255).join('') || 'upload';
}

/** The disk may notice only now that it is full. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

async function assertRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const missing = bytes - bavail * bsize;
  if (missing > 0)
    throw new AppError(
      'insufficient_storage',
      `The upload does not fit: ${Math.ceil(missing / mebibyte)} MiB are missing`,
    );
}
