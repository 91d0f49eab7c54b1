import { instant } from '../columns.ts';
import { buildTables, id, type Migration, required, short, text } from './build.ts';

/** Adds the credentials of image registries. */
export const registries: Migration = {
  name: '0029-registries',
  up: (schema) =>
    buildTables(
      schema,
      {
        registries: {
          id,
          host: { ...required(short), unique: true },
          username: required(short),
          /** Sealed. */
          password: required(text),
          /** Who may use them: ids of tenants and addresses of repositories, as JSON. */
          tenant_ids: required(text),
          repositories: required(text),
          created_at: required(instant),
          updated_at: required(instant),
        },
      },
      [],
    ),
};
