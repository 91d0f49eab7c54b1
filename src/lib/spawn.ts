import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';
import { linesOf } from './files/lines.ts';

interface ProgramOptions {
  cwd?: string;
  /** The whole environment of the program: nothing of the manager's own (its secrets) is handed on by itself. */
  env: Record<string, string>;
  input?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Told every line of both outputs as it comes. */
  onLine?: (line: string) => void;
}

export interface ProgramResult {
  exitCode: number | null;
  /** The last part of both outputs together, at most 64 KiB, for messages. */
  output: string;
  timedOut: boolean;
}

const keptOutput = 64 * 1024;
/** After SIGTERM a program has this long to end before SIGKILL. */
const killAfterMs = 3_000;
/** What left its group lives on and may hold its output open for ever; after SIGKILL it is read this long. */
const letGoAfterMs = 1_000;

/**
 * Runs a program by its argument array, never through a shell, in a process group of its own that ends as a whole
 * when the signal is aborted or the time is up. Never rejects for the program's own failure: look at `exitCode`.
 * @throws the signal's reason when aborted; an Error when the program cannot be started
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  options.signal?.throwIfAborted();
  const child = execa(file, args, {
    env: options.env,
    extendEnv: false,
    all: true,
    buffer: false,
    reject: false,
    detached: true,
    cleanup: true,
    stdin: options.input === undefined ? 'ignore' : 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.input === undefined ? {} : { input: options.input }),
  });

  let timedOut = false;
  let letGo = false;
  const ending: NodeJS.Timeout[] = [];
  const endGroup = (): void => {
    signalGroup(child.pid, 'SIGTERM');
    ending.push(
      setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killAfterMs),
      setTimeout(() => {
        letGo = true;
        child.stdout.destroy();
        child.stderr.destroy();
      }, killAfterMs + letGoAfterMs),
    );
  };
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          endGroup();
        }, options.timeoutMs);
  options.signal?.addEventListener('abort', endGroup, { once: true });

  let output = '';
  try {
    try {
      for await (const line of linesOf(child.all)) {
        output += `${line}\n`;
        // Cut now and then, not at every line: a program that talks fast must not keep the manager busy with it.
        if (output.length > 2 * keptOutput) output = output.slice(-keptOutput);
        options.onLine?.(line);
      }
    } catch (error) {
      if (!letGo) throw error;
    }
    const result = await child;
    options.signal?.throwIfAborted();
    if (result.exitCode === undefined && !result.isTerminated)
      throw new Error(`${file} could not be started: ${result.originalMessage ?? 'unknown reason'}`);
    return { exitCode: result.exitCode ?? null, output: output.slice(-keptOutput), timedOut };
  } finally {
    clearTimeout(timer);
    for (const later of ending) clearTimeout(later);
    options.signal?.removeEventListener('abort', endGroup);
    // What the program left running in its group ends with it.
    if (timedOut || options.signal?.aborted) signalGroup(child.pid, 'SIGKILL');
  }
}

/** Sends a signal to a process group; one that is gone already is fine. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

interface StreamedOptions {
  /** The whole environment of the program. */
  env: Record<string, string>;
  /** What it reads; nothing unless given. */
  input?: AsyncIterable<Uint8Array> | undefined;
  signal: AbortSignal;
}

export interface StreamedProgram {
  /** Must be read to its end: who stops before ends the program. @throws what reading the input threw, the signal's reason */
  output: AsyncIterable<Uint8Array>;
  /** Known when the output has ended; `errors` is the last of what it wrote there. */
  ended: Promise<{ exitCode: number | null; errors: string }>;
}

/**
 * Starts a program whose output (and input) may be larger than the memory: both flow no faster than they are taken. Never
 * through a shell. The rest is as for `runProgram`.
 * @throws (ended) an Error when the program cannot be started
 */
export function streamProgram(file: string, args: readonly string[], options: StreamedOptions): StreamedProgram {
  const { env, input, signal } = options;
  signal.throwIfAborted();
  const child = execa(file, args, {
    env,
    extendEnv: false,
    buffer: false,
    reject: false,
    detached: true,
    cleanup: true,
    stdin: input ? 'pipe' : 'ignore',
  });
  const end = Promise.withResolvers<{ exitCode: number | null; errors: string }>();
  end.promise.catch(() => undefined);
  const kill = (): void => signalGroup(child.pid, 'SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let errors = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    errors = (errors + text).slice(-keptOutput);
  });

  async function* output(): AsyncGenerator<Uint8Array> {
    let unread: unknown;
    const fed = input && child.stdin ? pipeline(input, child.stdin) : Promise.resolve();
    const feeding = fed.catch((error: unknown) => {
      // One that ends early says why itself; what could not be read must not look like its end.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
      unread = error;
      kill();
    });
    try {
      yield* child.stdout as AsyncIterable<Uint8Array>;
      const result = await child;
      await feeding;
      signal.throwIfAborted();
      if (unread !== undefined) throw unread;
      if (result.exitCode === undefined && !result.isTerminated)
        throw new Error(`${file} could not be started: ${result.originalMessage ?? 'unknown reason'}`);
      end.resolve({ exitCode: result.exitCode ?? null, errors: errors.trim() });
    } catch (error) {
      const reason = signal.aborted ? signal.reason : (unread ?? error);
      end.reject(reason);
      throw reason;
    } finally {
      signal.removeEventListener('abort', kill);
      kill();
      end.reject(new Error(`${file} was ended before it was read to its end`));
    }
  }

  return { output: output(), ended: end.promise };
}
