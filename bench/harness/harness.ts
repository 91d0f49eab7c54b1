import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** A ratio to the peer and its limit. Without a limit it is only reported. */
export interface Verdict {
  what: string;
  /** One per round. */
  ratios: readonly number[];
  limit?: { atMost: number } | { atLeast: number };
}

export interface Findings {
  verdicts: Verdict[];
  /** Raw figures and conditions, one per line. */
  lines: string[];
}

/** One benchmark: its findings, or why it can't run on this machine. */
export type Benchmark = (stage: Stage) => Promise<Findings | { skipped: string }>;

/** The resources of one benchmark run; all of them are removed at its end. */
export interface Stage {
  /** A temporary directory, removed at the end. */
  directory: string;
  /** Runs `cleanup` at the end or after an interrupt, the last one deferred first. */
  defer(cleanup: () => unknown): void;
  /** Reports progress on standard error. */
  say(text: string): void;
}

/** Runs `work` on a stage and always clears the stage afterwards, also after an error or an interrupt. */
export async function onStage<T>(name: string, work: (stage: Stage) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), `tenantry-bench-${name}-`));
  const cleanups: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  let clearing: Promise<void> | undefined;
  const clearAll = async (): Promise<void> => {
    for (let next = cleanups.pop(); next; next = cleanups.pop()) {
      try {
        await next();
      } catch (error) {
        console.error(`${name}: not cleaned up: ${error instanceof Error ? error.message : error}`);
      }
    }
  };
  const clear = (): Promise<void> => {
    clearing ??= clearAll();
    return clearing;
  };
  // A second signal ends the process immediately.
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    void clear().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    return await work({
      directory,
      defer: (cleanup) => void cleanups.push(cleanup),
      say: (text) => console.error(`  ${name}: ${text}`),
    });
  } catch (error) {
    // After an interrupt, errors only show that the resources are gone: don't report them.
    if (interrupted) await new Promise(() => undefined);
    throw error;
  } finally {
    await clear();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

export type Pair<T> = { ours: T; peer: T };

/**
 * Measures both sides once per round. The order alternates, so that neither side always runs on the warmer machine. The first
 * `warmUps` rounds don't count.
 */
export async function alternate<T>(
  options: { rounds: number; warmUps?: number },
  measure: { [side in keyof Pair<T>]: (round: number) => Promise<T> },
  after: (round: number, pair: Pair<T>) => unknown = () => undefined,
): Promise<Pair<T>[]> {
  const warmUps = options.warmUps ?? 1;
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < options.rounds + warmUps; round += 1) {
    const pair: Partial<Pair<T>> = {};
    for (const side of round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const)) {
      pair[side] = await measure[side](round);
    }
    await after(round, pair as Pair<T>);
    if (round >= warmUps) pairs.push(pair as Pair<T>);
  }
  return pairs;
}

export const ratiosOf = (pairs: readonly Pair<number>[]): number[] => pairs.map(({ ours, peer }) => ours / peer);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** `12.3 s (11.9–14.0)`: the median and the range. */
export function spread(values: readonly number[], unit: string, digits = 1): string {
  const show = (value: number): string => value.toFixed(digits);
  return `${show(median(values))}${unit && ` ${unit}`} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

/** The raw figures of both sides, one line each. */
export function figures(pairs: readonly Pair<number>[], peer: string, unit: string, digits = 1): string[] {
  const width = Math.max('Tenantry'.length, peer.length);
  const line = (name: string, values: number[]): string => `${name.padEnd(width)}  ${spread(values, unit, digits)}`;
  return [
    line(
      'Tenantry',
      pairs.map(({ ours }) => ours),
    ),
    line(
      peer,
      pairs.map((pair) => pair.peer),
    ),
  ];
}

/** Compares the median of the rounds with the limit. */
export function isMet({ ratios, limit }: Verdict): boolean {
  if (!limit) return true;
  return 'atMost' in limit ? median(ratios) <= limit.atMost : median(ratios) >= limit.atLeast;
}

/** `MET      time of a sweep: 1.21, target at most 1.5` */
export function verdictLine(verdict: Verdict): string {
  const { what, ratios, limit } = verdict;
  const result = `${what}: ${median(ratios).toFixed(2)}`;
  if (!limit) return `no target ${result}`;
  const target = 'atMost' in limit ? `at most ${limit.atMost}` : `at least ${limit.atLeast}`;
  return `${isMet(verdict) ? 'MET      ' : 'NOT MET  '} ${result}, target ${target}`;
}

/** The verdict with the spread of its rounds. */
export function detailedVerdictLine(verdict: Verdict): string {
  const { ratios } = verdict;
  const rounds = `${ratios.length} round${ratios.length === 1 ? '' : 's'}`;
  return `${verdictLine(verdict)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}, ${rounds})`;
}

/** The properties of the machine that affect the figures. */
export function conditions(): string {
  const [processor] = cpus();
  const load = loadavg()[0]?.toFixed(1);
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} × ${processor?.model.trim() ?? 'unknown processor'}, ${memory} GiB, Node ${process.version}, ${process.platform}, load ${load}`;
}

/** Runs a program and returns its output. @throws with its error output if it fails */
export function run(
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...environment };
    execFile(program, args, { env, maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args[0] ?? ''}: ${stderr.trim() || error.message}`));
      else resolve(stdout.trim());
    });
  });
}
