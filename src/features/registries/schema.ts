import { z } from 'zod';
import { timestamp } from '../../lib/http/routing/formats.ts';
import { listOf } from '../../lib/http/routing/paging.ts';

export const hidden = '***hidden***';

const fields = {
  host: z
    .string()
    .trim()
    .toLowerCase()
    .max(255)
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[1-9]\d{0,4})?$/,
      'must be a host name, with its port if it has one, without a scheme or a path: docker.io, ghcr.io, registry.example.org:5000',
    )
    .meta({ description: 'Docker Hub is `docker.io`' }),
  username: z.string().trim().min(1).max(255),
  tenant_ids: z.array(z.string().max(64)).max(1_000).default([]),
  repositories: z
    .array(z.string().trim().min(1).max(2_048))
    .max(1_000)
    .default([])
    .meta({ description: 'Git repositories whose builds may use the credentials, by address' }),
};
const password = z.string().min(1).max(8_192);

export const newRegistry = z.strictObject({ ...fields, password }).meta({ id: 'RegistryInput' });
export const registryChange = z
  .strictObject({ ...fields, password: password.meta({ description: `\`${hidden}\`: keep the stored one` }) })
  .meta({ id: 'RegistryChange' });

export const registry = z
  .object({
    id: z.string(),
    host: z.string(),
    username: z.string(),
    password: z.literal(hidden),
    tenant_ids: z.array(z.string()),
    repositories: z.array(z.string()),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Registry' });

export const registryList = listOf('registries', registry);
export const tested = z
  .object({
    accepted: z.boolean(),
    reason: z.string().nullable().meta({ description: 'Why not, in the words of the engine' }),
  })
  .meta({ id: 'RegistryTest' });
export const removed = z.object({ message: z.string() });
