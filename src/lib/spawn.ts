import { pipeline } from 'node:stream/promises';
import { actingDeadline } from './concurrency/acting-deadline.ts';
import { runningPrograms, signalGroup } from './concurrency/running-programs.ts';
import { linesOf } from './files/lines.ts';

export interface ProgramResult {
  exitCode: number | null;
  /** The last 64 KiB of both outputs together, for messages. */
  output: string;
  timedOut: boolean;
}

/** At the first program: a manager without tenants runs none. */
const loadExeca = () => import('execa');

const keptOutput = 64 * 1024;
/** Time from SIGTERM to SIGKILL. */
const killAfterMs = 3_000;
/** Other processes may hold the output open for ever; after the program's end, and after SIGKILL, it is read for this long. */
const letGoAfterMs = 1_000;

/**
 * Runs a program by its argument array, never through a shell, in its own process group, which ends as a whole on abort or
 * timeout, and with the program where what it left running holds its output open. Does not reject when the program fails: check `exitCode`.
 * @throws the signal's reason when aborted; an Error when the program cannot be started
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: {
    cwd?: string;
    /** The whole environment of the program; nothing (no secret) is inherited from the manager. */
    env: Record<string, string>;
    input?: string;
    signal?: AbortSignal | undefined;
    timeoutMs?: number;
    /** Called with every line of both outputs as it arrives. */
    onLine?: (line: string) => void;
    /** Drops the other output: its lines would come between those of a list. */
    stdoutOnly?: boolean | undefined;
  },
): Promise<ProgramResult> {
  const { execa } = await loadExeca();
  options.signal?.throwIfAborted();
  actingDeadline.check();
  const child = execa(file, args, {
    env: options.env,
    extendEnv: false,
    all: true,
    buffer: false,
    reject: false,
    detached: true,
    cleanup: true,
    stdin: options.input === undefined ? 'ignore' : 'pipe',
    stderr: options.stdoutOnly ? 'ignore' : 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  runningPrograms.add(child.pid);

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
        child.stderr?.destroy();
      }, killAfterMs + letGoAfterMs),
    );
  };
  // What it left running may hold the output open until the timeout.
  const endLeftovers = (): void => void ending.push(setTimeout(endGroup, letGoAfterMs));
  child.nodeChildProcess.once('exit', endLeftovers);
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
        // Trimmed occasionally, not for every line: a fast program must not keep the manager busy.
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
    child.nodeChildProcess.off('exit', endLeftovers);
    for (const later of ending) clearTimeout(later);
    options.signal?.removeEventListener('abort', endGroup);
    // Ends what the program left running in its group.
    if (timedOut || options.signal?.aborted) signalGroup(child.pid, 'SIGKILL');
    runningPrograms.delete(child.pid);
  }
}

export interface StreamedProgram {
  /**
   * Must be read to its end: leaving the loop early ends the program. @throws what reading the input threw, the signal's reason
   */
  output: AsyncIterable<Uint8Array>;
  /** Resolves when the output has ended; `errors` is the end of its stderr. */
  ended: Promise<{ exitCode: number | null; errors: string }>;
}

/**
 * A program whose input and output may be larger than the memory: both have backpressure. It starts when its output is first
 * read. Otherwise like `runProgram`.
 * @throws (ended) an Error when the program cannot be started
 */
export function streamProgram(
  file: string,
  args: readonly string[],
  options: {
    /** The whole environment of the program. */
    env: Record<string, string>;
    /** Its stdin; empty unless given. */
    input?: AsyncIterable<Uint8Array> | undefined;
    signal: AbortSignal;
  },
): StreamedProgram {
  const { env, input, signal } = options;
  signal.throwIfAborted();
  const end = Promise.withResolvers<{ exitCode: number | null; errors: string }>();
  end.promise.catch(() => undefined);

  async function* output(): AsyncGenerator<Uint8Array> {
    const { execa } = await loadExeca();
    if (signal.aborted) end.reject(signal.reason);
    signal.throwIfAborted();
    actingDeadline.check();
    const child = execa(file, args, {
      env,
      extendEnv: false,
      buffer: false,
      reject: false,
      detached: true,
      cleanup: true,
      stdin: input ? 'pipe' : 'ignore',
    });
    runningPrograms.add(child.pid);
    const kill = (): void => signalGroup(child.pid, 'SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    let errors = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      errors = (errors + text).slice(-keptOutput);
    });
    let unread: unknown;
    const fed = input && child.stdin ? pipeline(input, child.stdin) : Promise.resolve();
    const feeding = fed.catch((error: unknown) => {
      // A program that ends early reports why itself; an unreadable input must not look like its end.
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
      runningPrograms.delete(child.pid);
      end.reject(new Error(`${file} was ended before its output was read completely`));
    }
  }

  return { output: output(), ended: end.promise };
}
