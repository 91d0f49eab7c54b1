import type { ApiError } from '../../../api/api-error.ts';

/** The rejected fields of a user, with the reasons. */
export const userErrorsOf = ({ code, message, fields }: ApiError): Record<string, string> =>
  code === 'username_taken' ? { username: message } : fields;
