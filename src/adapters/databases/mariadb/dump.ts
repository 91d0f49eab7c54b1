import { messageOf } from '../../../lib/errors.ts';
import { type DatabaseDump, type DatabaseFindings, RefusedContent } from '../tenant-database.ts';
import { type Access, dumpArguments, dumpTrailer, environmentOf, loadArguments, type RunClient } from './client.ts';
import { type Account, withConnection } from './connection.ts';
import { DumpLines } from './dump-lines.ts';
import { openSnapshot } from './snapshot.ts';
import { surveyOf } from './tables.ts';

const definer =
  /^(\/\*!\d+ (?:CREATE\*\/ \/\*!\d+ )?|CREATE (?:OR REPLACE )?)DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*`( SQL SECURITY DEFINER)?/;
const mayHold = Buffer.from('DEFINER=');

/** The sql_mode that a dump loads its data in; with it, a date that no calendar has would become 0000-00-00. */
const mode = "SQL_MODE='NO_AUTO_VALUE_ON_ZERO'";
const lenientMode = "SQL_MODE='NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'";

/**
 * Makes a dump loadable here: dates come back as they were; views, routines, triggers and events belong to the loading account.
 * That is the same one for a tenant's own backup, and another tenant's account is not required.
 */
async function* loadable(dump: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const lines = new DumpLines();
  for await (const chunk of dump) yield* lines.push(chunk, loadableLine);
  yield lines.end();
}

function loadableLine(line: Buffer): Buffer {
  if (line.includes(mayHold)) return Buffer.from(line.toString('utf8').replace(definer, '$1$2'));
  if (line.includes(mode)) return Buffer.from(line.toString('utf8').replace(mode, lenientMode));
  return line;
}

const tailLength = 200;
/**
 * MariaDB's errors that are not caused by a statement's content: no space or memory, a failing disk, a lost connection, a lock
 * or timeout (mariadb.com/kb/en/mariadb-error-code-reference). 2000 to 2999 are the client's.
 */
const notOfTheContent = new Set([
  1021, 1026, 1030, 1037, 1038, 1040, 1041, 1045, 1053, 1114, 1205, 1213, 1317, 1927, 1969,
]);

/** The beginning of a dump's first table, view or list of events: its program has started its transaction. */
const hasStarted = /^(-- (Table|Temporary|Dumping)|CREATE |DROP )/m;

/**
 * Dumps a database with mariadb-dump. A statement that the server would not accept when it is loaded fails the dump.
 * @param accountOf the tenant's account for connections of the manager's own
 */
export function dumpDatabase(
  run: RunClient,
  access: Access,
  accountOf: () => Promise<Account>,
  signal: AbortSignal,
): DatabaseDump {
  let findings: DatabaseFindings | undefined;

  async function* content(): AsyncGenerator<Uint8Array> {
    const account = await accountOf();
    const survey = await withConnection(account, { timeoutMs: surveyMs, signal }, surveyOf).catch(notDumped);
    const snapshot = await openSnapshot(account, survey, signal).catch(notDumped);
    try {
      const argv = dumpArguments(access, survey);
      const program = await run(argv, { environment: environmentOf(access), signal });
      const lines = new DumpLines();
      let started = false;
      let tail = '';
      for await (const chunk of program.output) {
        lines.push(chunk);
        const { bytes, table } = lines.longest;
        if (bytes > survey.longestStatement) throw new Error(tooLong(table, bytes, survey.longestStatement));
        const last = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        started ||= hasStarted.test(last.toString('latin1'));
        if (started) snapshot.started();
        tail = (tail + last.toString('latin1', Math.max(0, last.length - tailLength))).slice(-tailLength);
        yield chunk;
      }
      const { exitCode, errors } = await program.ended;
      if (exitCode !== 0) notDumped(new Error(reasonIn(errors) || `exit code ${exitCode}`));
      if (!tail.includes(dumpTrailer)) throw new Error('The dump of the database has no end');
      const contents = await snapshot.end().catch(notDumped);
      findings = { contents, uncovered: survey.uncovered };
    } finally {
      snapshot.abandon();
    }
  }

  function notDumped(error: unknown): never {
    signal.throwIfAborted();
    throw new Error(`The database could not be dumped: ${messageOf(error)}`, { cause: error });
  }

  return {
    content: content(),
    findings() {
      if (!findings) throw new Error('The dump has not been read to its end');
      return findings;
    },
  };
}

const surveyMs = 60_000;
const longestReason = 500;
const mebibyte = 1024 ** 2;

const tooLong = (table: string, bytes: number, most: number): string =>
  `The backup could not be loaded again: a row of the table ${table} needs a statement of ${Math.ceil(bytes / mebibyte)} MiB, ` +
  `and the database server accepts ${Math.floor(most / mebibyte)} MiB. Set max_allowed_packet on the server to at least ` +
  `${Math.ceil((bytes + 1) / mebibyte)}M (1024M at most)`;

/** The program's own sentence: what else it prints may be the tenant's data, as may what the sentence quotes. */
function reasonIn(printed: string): string {
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  const reason = lines.findLast((line) => /\berror\b/i.test(line) && !line.startsWith('INSERT')) ?? lines.at(-1) ?? '';
  return reason.slice(0, longestReason).replace(/'.*'/s, '…');
}

/** Loads a dump into an empty database. @throws RefusedContent, or another Error, with the first failing statement */
export async function loadDump(
  run: RunClient,
  access: Access,
  dump: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await runStatements(run, access, loadable(dump), signal).catch((error: unknown) => {
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
  if (exitCode !== 0)
    throw new Error(`The database refused a statement: ${reasonIn(errors) || `exit code ${exitCode}`}`);
  return said.split('\n').filter((line) => line !== '');
}
