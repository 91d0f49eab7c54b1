import type { ErrorRequestHandler } from 'express';
import { z } from 'zod';
import { AppError, type ErrorCode, errorOf, invalid, statusOfCode } from '../../errors.ts';
import { isDiskFull } from '../../files/disk-full-error.ts';
import type { Logger } from '../../logger.ts';
import { ClientDisconnectedError } from '../requests/client-disconnected.ts';
import { timestamp } from '../routing/formats.ts';

/** The body of every error answer. */
export const errorBody = z
  .object({
    error: z.string(),
    detail: z.string(),
    code: z.enum(Object.keys(statusOfCode) as [ErrorCode, ...ErrorCode[]]),
    timestamp,
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error' });

/** The short `error` text of a code: `slug_taken` → `Slug taken`. */
const titleOf = (code: ErrorCode): string => {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The answer body of an error. */
export function errorAnswer(error: AppError): z.output<typeof errorBody> {
  return {
    error: titleOf(error.code),
    detail: error.message,
    code: error.code,
    timestamp: new Date().toISOString(),
    ...(error.issues ? { issues: error.issues } : {}),
  };
}

/** Errors that Express and its body parsers raise, by their `type`. */
const bodyParserCodes: Record<string, [ErrorCode, string]> = {
  'entity.parse.failed': ['malformed_json', 'The body is not valid JSON'],
  'entity.verify.failed': ['malformed_json', 'The body is not valid JSON'],
  'entity.too.large': ['payload_too_large', 'The body is larger than this route takes'],
  'parameters.too.many': ['payload_too_large', 'The body has more fields than this route takes'],
  'encoding.unsupported': ['unsupported_media_type', 'The content encoding is not supported'],
  'charset.unsupported': ['unsupported_media_type', 'The character set is not supported'],
  'request.size.invalid': ['malformed_json', 'The body is not as long as Content-Length says'],
};

function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) return new AppError('insufficient_storage', 'The disk is full: make room, then try again');
  if (error instanceof URIError) return invalid('path', 'is not validly encoded');
  if (typeof error !== 'object' || error === null) return undefined;
  const { type, status } = error as { type?: unknown; status?: unknown };
  const known = typeof type === 'string' ? bodyParserCodes[type] : undefined;
  if (known) return errorOf(...known);
  return status === 400 ? invalid('request', 'could not be read') : undefined;
}

const clientClosedRequest = 499;

/** What the body parsers throw when the client closes the connection. */
const isAborted = (thrown: unknown): boolean => (thrown as { type?: unknown } | null)?.type === 'request.aborted';

/** Puts an outside part's error (the database's) into our own words, where it is one that can be named. */
export type TranslateError = (error: unknown) => AppError | undefined;

/** The one place where errors become answers; only unexpected ones are logged. */
export function errorMiddleware(logger: Logger, translate: TranslateError = () => undefined): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    if (thrown instanceof ClientDisconnectedError || isAborted(thrown)) {
      // nginx's status for it: only the log and the metrics see it.
      response.status(clientClosedRequest).end();
      return;
    }
    const known = asAppError(thrown) ?? translate(thrown);
    const requestId = String((request as { id?: unknown }).id ?? '');
    if (!known) logger.error({ err: thrown, request_id: requestId }, 'unexpected error');
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = known ?? new AppError('internal_error', `Something went wrong here. Request id: ${requestId}`);
    const status = statusOfCode[error.code];
    if (status === 401) response.set('WWW-Authenticate', 'Bearer realm="tenantry"');
    response.status(status).set(error.headers).json(errorAnswer(error));
  };
}
