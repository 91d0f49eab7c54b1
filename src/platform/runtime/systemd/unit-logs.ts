import { linesOf, longestMessage } from '../../../kernel/lines.ts';
import { streamProgram } from '../../../kernel/spawn.ts';
import type { UnitLogLine, UnitRef } from '../runtime.ts';
import { programEnvironment, throwIfAway } from './programs.ts';
import { logFields } from './unit-file.ts';

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
      const message = messageIn(line);
      if (message !== undefined) yield { stream: 'stdout', message };
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

/** A message that is no UTF-8 comes as its bytes. */
function messageIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const { MESSAGE: message } = JSON.parse(line) as { MESSAGE?: unknown };
  if (typeof message === 'string') return message;
  return Array.isArray(message) ? Buffer.from(message as number[]).toString('utf8') : undefined;
}
