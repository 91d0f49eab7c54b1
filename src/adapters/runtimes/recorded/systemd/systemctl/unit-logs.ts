import { linesOf, longestMessage } from '../../../../../lib/files/lines.ts';
import { streamProgram } from '../../../../../lib/spawn.ts';
import type { UnitLogLine, UnitRef } from '../../../runtime.ts';
import { programEnvironment, throwIfAway } from '../programs.ts';
import { logFields } from '../units/unit-file.ts';

/**
 * A unit's lines from the journal, of all its starts, by the tenant's id: another tenant that had the name before is not seen. The journal
 * keeps both outputs in their order and not which one a line came from.
 */
export async function* unitLogs(
  instance: string,
  { tenant, role }: UnitRef,
  { lines, follow, signal }: { lines: number; follow: boolean; signal: AbortSignal },
): AsyncGenerator<UnitLogLine> {
  if (signal.aborted) return;
  const matches = Object.entries(logFields(instance, tenant.id, role)).map((field) => field.join('='));
  const args = [
    ...['--output=json', '--output-fields=MESSAGE', '--all', '--quiet', `--lines=${lines}`],
    ...(follow ? ['--follow'] : ['--no-pager']),
    // What a program sends to the journal by itself could bear any name; its outputs are marked by systemd.
    '_TRANSPORT=stdout',
    ...matches,
  ];
  const program = streamProgram('journalctl', args, { env: programEnvironment, signal });
  try {
    for await (const line of linesOf(program.output, longestMessage)) {
      const entry = entryIn(line);
      if (entry) yield { stream: 'stdout', ...entry };
    }
    const { exitCode, errors } = await program.ended;
    if (exitCode !== 0 && errors !== '') {
      throwIfAway(errors);
      throw new Error(`journalctl failed: ${errors}`);
    }
  } catch (error) {
    // Who follows ends it so.
    if (!signal.aborted) throw error;
  }
}

/** The journal writes the time (in microseconds) with every entry. A message that is no UTF-8 comes as its bytes. */
function entryIn(line: string): Pick<UnitLogLine, 'message' | 'time'> | undefined {
  if (!line.startsWith('{')) return undefined;
  const entry = JSON.parse(line) as { MESSAGE?: unknown; __REALTIME_TIMESTAMP?: string };
  const message = Array.isArray(entry.MESSAGE)
    ? Buffer.from(entry.MESSAGE as number[]).toString('utf8')
    : entry.MESSAGE;
  if (typeof message !== 'string') return undefined;
  const ms = Math.floor(Number(entry.__REALTIME_TIMESTAMP) / 1000);
  return { message, time: Number.isFinite(ms) ? new Date(ms) : undefined };
}
