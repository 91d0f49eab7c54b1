import { AppError, invalid } from '../../errors.ts';
import { formFailure, tooLarge } from './form-failure.ts';
import type { FormExchange } from './upload.ts';

interface Form<Name extends string> {
  /** The other fields, unchecked. */
  fields: Record<string, unknown>;
  /** A field in which a browser sends no file (an empty choice) is not there. */
  files: Partial<Record<Name, Buffer>>;
}

const fieldLimits = { fieldSize: 4_096, fieldNameSize: 100, headerPairs: 50 };
const maxFields = 20;
/** A form's boundaries, headers and texts: what a request is longer by than its files. */
const formBytes = 64 * 1024;
/** Time limit for receiving a form, which is held in memory. */
const deadlineMs = 5 * 60_000;

/**
 * Takes a multipart form with a few small files into memory.
 * @throws AppError unsupported_media_type, payload_too_large; validation_error naming the field
 */
export async function receiveForm<Name extends string>(
  { request, response }: FormExchange,
  {
    files: names,
    maxBytes,
  }: {
    /** The fields that may bear a file, one each. */
    files: readonly Name[];
    /** Bytes of one file. */
    maxBytes: number;
  },
): Promise<Form<Name>> {
  if (!request.is('multipart/form-data'))
    throw new AppError('unsupported_media_type', 'This route takes multipart/form-data');
  if (Number(request.headers['content-length'] ?? 0) > names.length * maxBytes + formBytes) throw tooLarge(maxBytes);
  const { default: multer } = await import('multer');
  const receive = multer({
    storage: multer.memoryStorage(),
    limits: {
      ...fieldLimits,
      fileSize: maxBytes,
      files: names.length,
      fields: maxFields,
      parts: maxFields + names.length,
    },
  }).fields(names.map((name) => ({ name, maxCount: 1 })));
  const timer = setTimeout(() => request.destroy(), deadlineMs);
  try {
    await new Promise<void>((resolve, reject) => {
      receive(request, response, (error: unknown) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    throw formFailure(error, {
      request,
      field: names[0] ?? '',
      maxBytes,
      unexpected: `One file each is taken, in the fields ${names.join(', ')}`,
    });
  } finally {
    clearTimeout(timer);
  }
  const given = request.files as Record<string, { buffer: Buffer }[]> | undefined;
  const files: Partial<Record<Name, Buffer>> = {};
  for (const name of names) {
    const [file] = given?.[name] ?? [];
    if (file) files[name] = file.buffer;
  }
  const fields: Record<string, unknown> = { ...request.body };
  for (const [name, value] of Object.entries(fields))
    if (Array.isArray(value)) throw invalid(name, 'is sent more than once');
  return { fields, files };
}
