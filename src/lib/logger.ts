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

/** Where a log goes at a terminal: a readable line for each entry. */
export async function terminalDestination(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  // `sync`: what was logged before the process ends is shown.
  return pretty({ translateTime: 'SYS:HH:MM:ss', singleLine: true, sync: true });
}

/** The structured log of the manager: JSON lines with secrets removed. */
export function createLogger(options: { level: string; destination?: DestinationStream | undefined }): Logger {
  const settings = {
    level: options.level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, censor: '***hidden***' },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
