import { z } from 'zod';
import { AcmeError, problemSchema } from './problem.ts';

/** A challenge. The token becomes a file name and part of an address: base64url only (RFC 8555, 8.3). */
const challengeSchema = z.object({
  type: z.string().max(100),
  status: z.string().max(100),
  url: z.url(),
  token: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,200}$/)
    .optional(),
  error: problemSchema.nullish(),
});
export type Challenge = z.infer<typeof challengeSchema>;

/** The fields of an authorization that we read (RFC 8555, 7.1.4). */
export const authorizationSchema = z.object({
  url: z.url(),
  status: z.string().max(100),
  identifier: z.object({ type: z.string().max(100), value: z.string().max(300) }),
  challenges: z.array(challengeSchema).max(20),
});
export type Authorization = z.infer<typeof authorizationSchema>;

/** The fields of an order that we read (RFC 8555, 7.1.3). */
export const orderSchema = z.object({
  url: z.url(),
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()).max(100),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: problemSchema.nullish(),
});
export type Order = z.infer<typeof orderSchema>;

/** Validates the authority's answer. @throws AcmeError that names the mismatch */
export function parsedAnswer<T>(schema: z.ZodType<T>, answer: unknown, what: string): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const odd = read.error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || what}: ${message}`);
  throw new AcmeError(`its ${what} cannot be parsedAnswer (${odd.join('; ')})`, { cause: read.error });
}
