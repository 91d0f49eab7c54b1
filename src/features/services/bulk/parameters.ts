import { z } from 'zod';
import type { bulkActions } from '../../../adapters/events/messages.ts';

export type BulkAction = (typeof bulkActions)[number];

/** What an action does beyond its name, as kept in the journal; names and values were checked when it was created. */
export const bulkParameters = z.object({
  target_version: z.string().nullish(),
  target_ref: z.string().nullish(),
  add_tags: z.array(z.string()).optional(),
  remove_tags: z.array(z.string()).optional(),
  /** Values of configurations are stored sealed. */
  config: z.object({ fields: z.array(z.string()), sealed: z.string() }).optional(),
});
export type BulkParameters = z.output<typeof bulkParameters>;

/** Values of a configuration, by field; those of `custom_env` by entry. */
export const givenConfig = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string().nullable())]));
/** The parameters of a request. */
export type GivenParameters = Omit<BulkParameters, 'config'> & { config?: z.output<typeof givenConfig> | undefined };

const takes: Record<BulkAction, readonly (keyof BulkParameters)[]> = {
  start: [],
  stop: [],
  restart: [],
  deploy: ['target_version', 'target_ref'],
  upgrade: ['target_version'],
  rollback: ['target_version'],
  backup: [],
  check: [],
  tag: ['add_tags', 'remove_tags'],
  configure: ['config'],
};

/** The parameter that is wrong for an action, and why; undefined: none. */
export function wrongParameter(
  action: BulkAction,
  given: GivenParameters,
): { path: keyof BulkParameters; message: string } | undefined {
  const names = (Object.keys(given) as (keyof BulkParameters)[]).filter((name) => given[name] !== undefined);
  const unknown = names.find((name) => !takes[action].includes(name));
  if (unknown) return { path: unknown, message: `must not be given for ${action}` };
  if (action === 'deploy' && given.target_version && given.target_ref)
    return { path: 'target_ref', message: 'must not be given together with target_version' };
  if (action === 'tag' && !given.add_tags?.length && !given.remove_tags?.length)
    return { path: 'add_tags', message: 'give tags to add or to remove' };
  if (action === 'configure' && Object.keys(given.config ?? {}).length === 0)
    return { path: 'config', message: 'give at least one value' };
  return undefined;
}
