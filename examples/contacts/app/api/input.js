import { failure } from './errors.js';

/** @param {import('zod').ZodError} error */
export const describe = (error) =>
  error.issues.map((issue) => [issue.path.join('.'), issue.message].filter(Boolean).join(': ')).join('; ');

/**
 * The JSON body of a request, checked.
 * @template T
 * @param {import('hono').Context} c
 * @param {import('zod').ZodType<T>} schema
 * @returns {Promise<T>}
 * @throws 400 saying what does not fit
 */
export async function readBody(c, schema) {
  const body = await c.req.json().catch(() => {
    throw failure(400, 'The body is not JSON');
  });
  return check(schema, body);
}

/**
 * @template T
 * @param {import('zod').ZodType<T>} schema
 * @param {unknown} value
 * @returns {T}
 */
export function check(schema, value) {
  const result = schema.safeParse(value);
  if (!result.success) throw failure(400, describe(result.error));
  return result.data;
}
