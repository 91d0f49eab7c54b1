import { AppError } from '../../../../lib/errors.ts';
import { type ProgramResult, runProgram } from '../../../../lib/spawn.ts';

/** The environment of system programs: messages we can parse, and no pager. */
export const programEnvironment: Record<string, string> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
  SYSTEMD_COLORS: '0',
  SYSTEMD_PAGER: '',
};

/** Messages of systemd's programs when it does not run. */
const away = /not been booted with systemd|Failed to connect to (system |)(scope )?bus|Failed to get D-Bus connection/;

/** @throws AppError `runtime_unavailable` when the program reports that systemd does not answer */
export async function runTool(
  file: string,
  args: readonly string[],
  options: { signal?: AbortSignal } = {},
): Promise<ProgramResult> {
  const result = await runProgram(file, args, { env: programEnvironment, signal: options.signal });
  if (result.exitCode !== 0) throwIfUnavailable(result.output);
  return result;
}

/** @throws AppError `runtime_unavailable` */
export function throwIfUnavailable(output: string): void {
  const said = output.split('\n').find((line) => away.test(line));
  if (said !== undefined) throw new AppError('runtime_unavailable', `systemd does not answer: ${said.trim()}`);
}

/** Like `runTool`. @throws Error with the program's output when it fails */
export async function mustRun(
  file: string,
  args: readonly string[],
  options: { signal?: AbortSignal } = {},
): Promise<string> {
  const { exitCode, output } = await runTool(file, args, options);
  if (exitCode !== 0) throw new Error(`${file} ${args[0] ?? ''} failed: ${output.trim().slice(-1_000) || exitCode}`);
  return output;
}
