import { linesOf, maxMessageCharacters } from '../../../../../lib/files/lines.ts';
import { streamProgram } from '../../../../../lib/spawn.ts';
import type { LogRequest, UnitLogLine, UnitRef } from '../../../runtime.ts';
import { programEnvironment, throwIfUnavailable } from '../programs.ts';
import { logFields } from '../units/unit-file.ts';

/**
 * A unit's lines from the journal, of all its runs, by the tenant's id: an earlier tenant of the same name is excluded. The
 * journal keeps the order of both outputs, not which one a line came from.
 */
export async function* unitLogs(
  instance: string,
  { tenant, role }: UnitRef,
  { lines, follow, signal, positions }: LogRequest,
): AsyncGenerator<UnitLogLine> {
  if (signal.aborted) return;
  const matches = Object.entries(logFields(instance, tenant.id, role)).map((field) => field.join('='));
  const args = [
    ...['--output=json', '--output-fields=MESSAGE', '--all', '--quiet', `--lines=${lines}`],
    ...(follow ? ['--follow'] : ['--no-pager']),
    // Entries that a program sends to the journal directly can claim any name; systemd marks its outputs.
    '_TRANSPORT=stdout',
    ...matches,
  ];
  const program = streamProgram('journalctl', args, { env: programEnvironment, signal });
  try {
    for await (const line of linesOf(program.output, maxMessageCharacters)) {
      const entry = entryIn(line);
      if (!entry) continue;
      const { cursor, ...written } = entry;
      yield { stream: 'stdout', ...written, ...(positions && cursor ? { position: cursor } : {}) };
    }
    const { exitCode, errors } = await program.ended;
    if (exitCode !== 0 && errors !== '') {
      throwIfUnavailable(errors);
      throw new Error(`journalctl failed: ${errors}`);
    }
  } catch (error) {
    // Followers end it like this.
    if (!signal.aborted) throw error;
  }
}

/** The journal adds its position and the time (in microseconds) to every entry. A message that is not UTF-8 comes as bytes. */
function entryIn(line: string): (Pick<UnitLogLine, 'message' | 'time'> & { cursor?: string | undefined }) | undefined {
  if (!line.startsWith('{')) return undefined;
  const entry = JSON.parse(line) as { MESSAGE?: unknown; __REALTIME_TIMESTAMP?: string; __CURSOR?: string };
  const message = Array.isArray(entry.MESSAGE)
    ? Buffer.from(entry.MESSAGE as number[]).toString('utf8')
    : entry.MESSAGE;
  if (typeof message !== 'string') return undefined;
  const ms = Math.floor(Number(entry.__REALTIME_TIMESTAMP) / 1000);
  return { message, time: Number.isFinite(ms) ? new Date(ms) : undefined, cursor: entry.__CURSOR };
}
