import { every, poll } from '../../../../../lib/concurrency/poll.ts';
import type { Work } from '../../../../../lib/concurrency/work.ts';
import { runProgram } from '../../../../../lib/spawn.ts';
import type { CommandEnd } from '../../../runtime.ts';
import { shell } from '../../../shell-line.ts';
import { programEnvironment, throwIfUnavailable } from '../programs.ts';
import { quotedArgument } from '../units/quoting.ts';
import type { Setting, Word } from '../units/sandbox.ts';
import { loadedUnits, systemctlIfAny } from './systemctl.ts';

const stopRetryMs = 500;
const unloading = { timeoutMs: 10_000, intervalMs: 100 };

/**
 * Runs a command line in a transient unit. All its processes end with it, whatever their process group. It is cancelled by
 * stopping the unit repeatedly until `systemd-run` reports its end: a stop before the unit exists would be lost.
 * @throws the signal's reason when aborted, once nothing is left; AppError `runtime_unavailable`
 */
export async function runTransient(
  options: {
    name: string;
    description: string;
    settings: readonly Setting[];
    /** The tenant repository's own command line. */
    line: string;
    timeoutMs?: number | undefined;
  },
  work: Work,
): Promise<CommandEnd & { output: string }> {
  const { name, description, settings, line, timeoutMs } = options;
  work.signal.throwIfAborted();
  const args = [
    ...['--wait', '--pipe', '--collect', '--quiet', '--service-type=exec'],
    `--unit=${name}`,
    `--description=${description}`,
    // At most twice the SIGTERM timeout, then SIGKILL.
    '--property=TimeoutStopSec=3',
    ...settings.map(
      ([key, value]) => `--property=${key}=${typeof value === 'string' ? value : value.map(word).join(' ')}`,
    ),
    // systemd would expand variables in the words.
    ...['--', shell, '-c', line.replaceAll('$', '$$$$')],
  ];

  const ended = new AbortController();
  let timedOut = false;
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    for await (const _ of every(stopRetryMs, ended.signal))
      await systemctlIfAny('stop', '--no-block', '--', name).catch(() => undefined);
  };
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          ending ??= end();
        }, timeoutMs);
  const onAbort = (): void => {
    ending ??= end();
  };
  work.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await runProgram('systemd-run', args, { env: programEnvironment, onLine: (said) => work.log(said) });
    work.signal.throwIfAborted();
    if (result.exitCode !== 0) throwIfUnavailable(result.output);
    return { exitCode: timedOut ? null : result.exitCode, timedOut, output: result.output };
  } finally {
    ended.abort();
    clearTimeout(timer);
    // A pending start would bring the name back for a moment.
    await ending;
    // systemd-run reports the end before systemd has unloaded the unit; until then the job would be listed.
    const unloaded = async () => ((await loadedUnits(name)).length === 0 ? true : undefined);
    await poll(unloaded, unloading).catch(() => undefined);
    work.signal.removeEventListener('abort', onAbort);
  }
}

const word = (value: Word): string =>
  typeof value === 'string' ? quotedArgument(value) : value.map(quotedArgument).join(':');
