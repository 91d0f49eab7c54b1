import { ApiError } from '../../../api/api-error.ts';

/** The rejected fields of a user, with the reasons. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return error.code === 'username_taken' ? { username: error.message } : error.fields;
}
