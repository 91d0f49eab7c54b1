import { z } from 'zod';
import type { Site } from './proxy.ts';

const tls = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('certificate'), fingerprint: z.string() }),
  z.object({ kind: z.literal('resolver') }),
]);

const address = z.object({ host: z.string(), port: z.number() });

const host = z.object({
  domain: z.string(),
  upstream: address,
  backups: z.array(address).optional(),
  healthPath: z.string().optional(),
  tls: tls.nullable(),
});

/** A site as stored: in the store, and in an operation's state for a rollback. */
export const siteRecord: z.ZodType<Site> = z.object({
  tenant: z.object({ id: z.string(), slug: z.string() }),
  hosts: z.object({ frontend: host, api: host }),
  hstsSeconds: z.number(),
  isBehindFront: z.literal(true).optional(),
});
