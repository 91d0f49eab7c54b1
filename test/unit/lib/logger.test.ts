import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.ts';

test.each([
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
])('the value of %s never reaches the log, also inside of other objects', (name) => {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const logger = createLogger({ level: 'trace', destination });
  const inner = { [name]: 'violet engine marmalade' };
  logger.info({ ...inner, body: inner, request: { headers: inner } }, 'asked');
  expect(lines.join('')).toContain('"msg":"asked"');
  expect(lines.join('').match(/\*\*\*hidden\*\*\*/g)).toHaveLength(3);
  expect(lines.join('')).not.toContain('marmalade');
});
