import { ApiError } from '../../../api/api-error.ts';

/** The fields of a user that the manager refused, with the reason. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return error.code === 'username_taken' ? { username: error.message } : error.fields;
}
