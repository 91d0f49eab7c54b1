import { isNativeError } from 'node:util/types';
import { actingDeadline } from '../../../../lib/concurrency/acting-deadline.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';

/** An error answer of the engine, in its own words: 404 not found, 409 conflict, 400 bad request, 500 its own failure. */
export class DockerApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'EngineRefusal';
    this.status = status;
  }
}

/**
 * The one place that translates the engine's and the connection's errors: an error answer becomes a DockerApiError, no answer
 * becomes `runtime_unavailable`; an aborted signal keeps its reason.
 */
export function translateError(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof AppError || error instanceof DockerApiError || !isNativeError(error)) return error;
  const { statusCode, json, code } = error as Error & { statusCode?: number; json?: unknown; code?: string };
  if (statusCode !== undefined) return new DockerApiError(statusCode, messageIn(json) ?? error.message.trim(), error);
  if (isLostConnection(error, code))
    return new AppError('runtime_unavailable', `The Docker engine does not answer: ${error.message}`, { cause: error });
  return error;
}

/** Calls the engine; see `translateError` for what it throws. */
export async function callDocker<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    actingDeadline.check();
    return await request();
  } catch (error) {
    throw translateError(error, signal);
  }
}

/** Gets an object that may not exist: undefined on 404. */
export function getOrUndefined<T>(request: () => Promise<T>): Promise<T | undefined> {
  return ignoreStatus([404], request);
}

/** Makes a change that may be done already: 304 (stopped, started) and 404 (removed) are success. */
export async function ensure(request: () => Promise<unknown>): Promise<void> {
  await ignoreStatus([304, 404], request);
}

/** Undefined when the engine answers with one of these statuses. */
export async function ignoreStatus<T>(statuses: readonly number[], request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callDocker(request);
  } catch (error) {
    if (error instanceof DockerApiError && statuses.includes(error.status)) return undefined;
    throw error;
  }
}

/** Adds a sentence about the action to an error; `runtime_unavailable` and a signal's reason stay unchanged. */
export function withContext(what: string, error: unknown): unknown {
  return error instanceof DockerApiError ? new Error(`${what}: ${messageOf(error)}`, { cause: error }) : error;
}

/**
 * System errors (ECONNREFUSED, ENOENT of the socket, ECONNRESET…) and Node's own for a connection that breaks during an answer.
 */
function isLostConnection(error: Error, code: string | undefined): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE') return true;
  return syscall === 'connect' || syscall === 'getaddrinfo' || syscall === 'read' || syscall === 'write';
}

function messageIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('message' in json)) return undefined;
  return typeof json.message === 'string' ? json.message : undefined;
}
