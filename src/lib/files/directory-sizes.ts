import { runProgram } from '../spawn.ts';

/** Directories in one run of `du`: the length of a command line is limited. */
const atOnce = 200;

/**
 * Measures files and directories (absolute paths) with the host's `du`, each on its own file system, in bytes. Leaves out those
 * that are missing, and files that disappear during the measurement.
 * @param options.timeoutMs for each 200 of them
 * @param options.onLate called when not all of them could be measured in time; default: throws an Error
 * @throws Error without `du`; the signal's reason when aborted
 */
export async function directorySizes(
  paths: readonly string[],
  {
    timeoutMs,
    signal,
    onLate = (error) => {
      throw error;
    },
  }: { timeoutMs: number; signal?: AbortSignal | undefined; onLate?: ((error: Error) => void) | undefined },
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let at = 0; at < paths.length; at += atOnce) {
    const { timedOut } = await runProgram('du', ['-s', '-k', '-x', '--', ...paths.slice(at, at + atOnce)], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeoutMs,
      signal,
      onLine(line) {
        const [, kilobytes, path] = /^(\d+)\t(\/.*)$/.exec(line) ?? [];
        if (path !== undefined) sizes.set(path, Number(kilobytes) * 1024);
      },
    });
    if (timedOut) onLate(new Error(`Directories could not be measured within ${timeoutMs / 1_000} s`));
  }
  return sizes;
}
