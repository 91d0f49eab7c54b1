import { DumpScanner } from './dump-scanner.ts';

const definer =
  /^(\/\*!\d+ (?:CREATE\*\/ \/\*!\d+ )?|CREATE (?:OR REPLACE )?)DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`( SQL SECURITY DEFINER)?/;
const mayHold = Buffer.from('DEFINER=');

/**
 * A dump without the accounts that its views, routines, triggers and events are bound to: loaded, they belong to who loads.
 * That is the same account where a tenant's own backup is restored, and another tenant's must not need that account.
 */
export async function* withoutDefiners(dump: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const scanner = new DumpScanner();
  for await (const chunk of dump) yield* scanner.push(chunk, withoutDefiner);
  yield scanner.end();
}

function withoutDefiner(line: Buffer): Buffer {
  if (!line.includes(mayHold)) return line;
  return Buffer.from(line.toString('utf8').replace(definer, '$1$2'));
}
