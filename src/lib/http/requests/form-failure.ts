import type { Request } from 'express';
import { AppError, invalid } from '../../errors.ts';
import { isDiskFull } from '../../files/disk-full-error.ts';
import { ClientDisconnectedError, isDisconnected } from './client-disconnected.ts';

interface FormRules {
  request: Request;
  /** Named where the parser of forms names no field. */
  field: string;
  maxBytes: number;
  /** Called when a file arrives that is not accepted. */
  unexpected: string;
}

const mebibyte = 1024 ** 2;

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('payload_too_large', `The file is larger than ${Math.floor(maxBytes / mebibyte)} MiB`);

/** The error of reading a form, in our own words. */
export function formFailure(error: unknown, { request, field, maxBytes, unexpected }: FormRules): unknown {
  const { name, code, message, field: named } = error as Partial<Error> & { code?: string; field?: string };
  if (code === 'LIMIT_FILE_SIZE') return tooLarge(maxBytes);
  if (isDiskFull(error)) return new AppError('insufficient_storage', 'The upload does not fit: the disk is full');
  if (code === 'LIMIT_UNEXPECTED_FILE' || code === 'LIMIT_FILE_COUNT') return invalid(named ?? field, unexpected);
  if (name === 'MulterError') return invalid(named ?? field, message ?? unexpected);
  if (isDisconnected(request)) return new ClientDisconnectedError({ cause: error });
  // What the form parser throws has no code.
  if (code === undefined) return invalid('form', `could not be read: ${message ?? 'it is broken'}`);
  return error;
}
