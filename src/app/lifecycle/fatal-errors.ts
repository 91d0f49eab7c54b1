import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';

type Secrets = Pick<Config, 'SECRET_KEY' | 'ADMIN_PASSWORD' | 'METRICS_TOKEN' | 'TENANT_APP_API_KEY'>;

/**
 * Has an error that nobody handled end the manager, with code 1 and a line in its log. What it left half-done in memory can't be known, while
 * all long work is in the journal: the supervisor starts a manager anew, which takes it up. Tenants' units run on meanwhile.
 */
export function endOnFatalErrors(logger: Pick<Logger, 'fatal'>, secrets: Secrets): void {
  // A rejection that nobody handles comes here too.
  process.on('uncaughtException', (error, origin) => {
    try {
      logger.fatal({ origin, ...described(error, secrets) }, 'an error that nobody handled ends the manager');
    } finally {
      process.exit(1);
    }
  });
}

const hidden = '***hidden***';

/** What is told of an error: no fields that libraries hang on (statements, requests with their headers). */
function described(error: Error, secrets: Secrets) {
  const { SECRET_KEY, ADMIN_PASSWORD, METRICS_TOKEN, TENANT_APP_API_KEY } = secrets;
  const values = [SECRET_KEY, ADMIN_PASSWORD, METRICS_TOKEN, TENANT_APP_API_KEY].filter((value) => value !== undefined);
  const clean = (text: string): string =>
    values
      .reduce((cleaned, value) => cleaned.replaceAll(value, hidden), text)
      .replaceAll(/\/\/[^/\s@]+@/g, `//${hidden}@`)
      .replaceAll(/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    message: clean(messageOf(error)),
    code,
    stack: clean(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: clean(messageOf(error.cause)) }),
  };
}
