import type { z } from 'zod';
import { AppError, type Issue } from '../../errors.ts';
import { zodErrorMessages } from './zod-error-messages.ts';

/**
 * What came from outside, held against its schema.
 * @throws AppError validation_error naming each field with the rule that it breaks
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: zodErrorMessages });
  if (!result.success) throw validationError(result.error);
  return result.data;
}

function validationError(error: z.ZodError): AppError {
  const issues: Issue[] = error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: path === '' ? key : `${path}.${key}`, message: 'Unknown field' }));
  });
  const first = issues.slice(0, 3).map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message));
  return new AppError('validation_error', first.join('; ') || 'Invalid input', { issues });
}
