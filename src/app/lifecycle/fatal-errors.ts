import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';

const secretNames = [
  'SECRET_KEY',
  'ADMIN_PASSWORD',
  'METRICS_TOKEN',
  'TENANT_APP_API_KEY',
  'SWARM_REGISTRY_PASSWORD',
] as const;

type Secrets = Pick<Config, (typeof secretNames)[number]>;

/**
 * Ends the manager on an unhandled error, with exit code 1 and a log line. Its state in memory can't be trusted, but all long work
 * is in the journal: the supervisor restarts the manager, which resumes it. Tenants' units keep running.
 */
export function endOnFatalErrors(logger: Pick<Logger, 'fatal'>, secrets: Secrets): void {
  // Unhandled rejections come here too.
  process.on('uncaughtException', (error, origin) => {
    try {
      logger.fatal({ origin, ...described(error, secrets) }, 'an unhandled error ends the manager');
    } finally {
      process.exit(1);
    }
  });
}

const hidden = '***hidden***';

/** What is logged of an error: without fields that libraries add (statements, requests with their headers). */
function described(error: Error, secrets: Secrets) {
  const values = secretNames.flatMap((name) => secrets[name] ?? []);
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
