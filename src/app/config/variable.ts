import { z } from 'zod';

/** One variable of the environment. */
export interface Variable<T> {
  schema: z.ZodType<T, string>;
  /** What a value must be, for the message when it is not. */
  rule: string;
  example: string;
  fallback?: string;
}

/** Optional where no `fallback` is given. */
export const variable = <T>(
  schema: z.ZodType<T, string>,
  rule: string,
  example: string,
  fallback?: string,
): Variable<T> => (fallback === undefined ? { schema, rule, example } : { schema, rule, example, fallback });

export const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.int().min(0).max(65_535));
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
