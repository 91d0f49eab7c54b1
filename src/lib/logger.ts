import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Paths of secrets in logged objects; their values never leave the process. */
const secretPaths = [
  'password',
  'new_password',
  'current_password',
  'token',
  'access_token',
  'ticket',
  'secret',
  'api_key',
  'authorization',
  'cookie',
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** The structured log of the manager: JSON lines with secrets removed. */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, censor: '***hidden***' },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
