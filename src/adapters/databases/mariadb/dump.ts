import { messageOf } from '../../../lib/errors.ts';
import { type DatabaseDump, RefusedContent } from '../tenant-database.ts';
import { type Access, dumpArguments, environmentOf, loadArguments, type RunClient } from './client.ts';
import { DumpScanner } from './dump-scanner.ts';

const definer =
  /^(\/\*!\d+ (?:CREATE\*\/ \/\*!\d+ )?|CREATE (?:OR REPLACE )?)DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`( SQL SECURITY DEFINER)?/;
const mayHold = Buffer.from('DEFINER=');

/**
 * Removes the accounts that a dump's views, routines, triggers and events are bound to: after loading they belong to the
 * loading account. That is the same one for a tenant's own backup, and another tenant's account is not required.
 */
async function* withoutDefiners(dump: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const scanner = new DumpScanner();
  for await (const chunk of dump) yield* scanner.push(chunk, withoutDefiner);
  yield scanner.end();
}

function withoutDefiner(line: Buffer): Buffer {
  if (!line.includes(mayHold)) return line;
  return Buffer.from(line.toString('utf8').replace(definer, '$1$2'));
}

const tailLength = 200;
/** The last line of a complete dump. */
export const dumpTrailer = '-- Dump completed';
/**
 * MariaDB's errors that are not caused by a statement's content: no space or memory, a failing disk, a lost connection, a lock
 * or timeout (mariadb.com/kb/en/mariadb-error-code-reference). 2000 to 2999 are the client's.
 */
const notOfTheContent = new Set([
  1021, 1026, 1030, 1037, 1038, 1040, 1041, 1045, 1053, 1114, 1205, 1213, 1317, 1927, 1969,
]);

/** Dumps a database with mariadb-dump. */
export function dumpDatabase(run: RunClient, access: Access, signal: AbortSignal): DatabaseDump {
  const scanner = new DumpScanner();
  let whole = false;

  async function* content(): AsyncGenerator<Uint8Array> {
    const program = await run(dumpArguments(access), { environment: environmentOf(access), signal });
    let tail = '';
    for await (const chunk of program.output) {
      scanner.push(chunk);
      const last = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      tail = (tail + last.toString('latin1', Math.max(0, last.length - tailLength))).slice(-tailLength);
      yield chunk;
    }
    const { exitCode, errors } = await program.ended;
    if (exitCode !== 0) throw new Error(`The database could not be dumped: ${errors || `exit code ${exitCode}`}`);
    if (!tail.includes(dumpTrailer)) throw new Error('The dump of the database has no end');
    whole = true;
  }

  return {
    content: content(),
    rowCounts() {
      if (!whole) throw new Error('The dump has not been read to its end');
      return { ...scanner.counts };
    },
  };
}

/** Loads a dump into an empty database. @throws RefusedContent, or another Error, with the first failing statement */
export async function loadDump(
  run: RunClient,
  access: Access,
  dump: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await runStatements(run, access, withoutDefiners(dump), signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const code = /\bERROR (\d{4}) \(/.exec(messageOf(error))?.[1];
    if (!code || code.startsWith('2') || notOfTheContent.has(Number(code))) throw error;
    throw new RefusedContent(messageOf(error), { cause: error });
  });
}

/** Runs statements with the client program; returns the lines of its output. */
export async function runStatements(
  run: RunClient,
  access: Access,
  input: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<string[]> {
  const program = await run(loadArguments(access), { environment: environmentOf(access), input, signal });
  let said = '';
  for await (const chunk of program.output) said = (said + Buffer.from(chunk).toString('utf8')).slice(-64 * 1024);
  const { exitCode, errors } = await program.ended;
  if (exitCode !== 0) throw new Error(`The database refused a statement: ${errors || `exit code ${exitCode}`}`);
  return said.split('\n').filter((line) => line !== '');
}
