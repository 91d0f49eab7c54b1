import { AppError, invalid } from '../../lib/errors.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { ConfigFields } from './config-fields.ts';
import { customEntryProblem, hiddenMarker, hideSecrets } from './custom-env.ts';
import { configChanges } from './schema.ts';

type Entries = Readonly<Record<string, string | null>>;
/** By field; those of `custom_env` by entry. */
export type GivenValues = Readonly<Record<string, string | Entries>>;
/** Values that wait in the journal of operations: their names, and all of it sealed; empty: lost with the key. */
export interface SealedValues {
  fields: string[];
  sealed: string;
}

export const bulkValuesContext = 'bulk:config';

/** Seals values as those of each tenant are: any entry of `custom_env` may be a secret. */
export function createValueSealer(secretBox: SecretBox) {
  return {
    seal: ({ custom_env: entries = {}, ...values }: GivenValues): SealedValues => ({
      fields: [...Object.keys(values), ...Object.keys(entries).map((name) => `custom_env.${name}`)],
      sealed: secretBox.seal(JSON.stringify({ ...values, custom_env: entries }), bulkValuesContext),
    }),
    /** @throws AppError invalid_state for lost values */
    open({ sealed }: SealedValues): GivenValues {
      if (sealed === '')
        throw new AppError(
          'invalid_state',
          'The values were encrypted with a SECRET_KEY that is lost. Start a new bulk operation with them.',
        );
      return JSON.parse(secretBox.open(sealed, bulkValuesContext));
    },
  };
}

/**
 * Values for many tenants as changes of one of them: entries of `custom_env` are added to its own, null removes one.
 * @throws AppError validation_error, also for a secret
 */
export function valuesFor(
  { custom_env: given = {}, ...config }: GivenValues,
  own: Readonly<Record<string, string>>,
): Partial<ConfigFields> {
  const { data, error } = configChanges
    .omit({ id: true, tenant_id: true, revision: true })
    .safeParse({ ...config, custom_env: typeof given === 'string' ? given : present(given) });
  for (const name of typeof given === 'string' ? [] : Object.keys(given)) {
    const problem = customEntryProblem(name, '');
    if (problem) throw invalid(`parameters.config.custom_env.${name}`, problem);
  }
  const [issue] = error?.issues ?? [];
  if (!data)
    throw invalid(['parameters', 'config', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
  const { custom_env: added = {}, ...fields } = data;
  const secret = Object.entries(hideSecrets(added)).find(([, value]) => value === hiddenMarker);
  if (secret) throw invalid(`parameters.config.custom_env.${secret[0]}`, 'set secrets tenant by tenant');
  const changes = {
    ...fields,
    ...(Object.keys(given).length > 0 ? { custom_env: present({ ...own, ...(given as Entries) }) } : {}),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const present = (entries: Entries): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== null));
