import { OtherSchema } from '../../adapters/store/schema.ts';
import { connectionFailure } from '../../adapters/store/translate-error.ts';
import { messageOf } from '../../lib/errors.ts';
import { ConfigError } from '../config/config.ts';

/** Why the manager's database can't be opened, and what to do about it; any other error is returned unchanged. */
export function storeProblem(error: unknown): unknown {
  if (error instanceof OtherSchema) return new ConfigError(error.message);
  switch (connectionFailure(error)) {
    case 'access_denied':
      return new ConfigError(
        `DATABASE_URL must hold a user and password that the database accepts: ${messageOf(error)}. ` +
          'With compose.yaml the store keeps the STORE_PASSWORD of its first start: restore that one in .env, ' +
          'or remove all data with: docker compose down --volumes',
      );
    case 'unreachable':
      return new ConfigError(
        `DATABASE_URL must be the address of a database that answers: ${messageOf(error)}. Example: DATABASE_URL=mysql://user:password@host:3306/name`,
      );
    case undefined:
      return error;
  }
}
