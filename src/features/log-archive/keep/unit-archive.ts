import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime, UnitLogLine, UnitRef, UnitState } from '../../../adapters/runtimes/runtime.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { type GenerationFacts, KeptGeneration } from './generation.ts';
import { newLines, type ReadUpTo } from './read-lines.ts';

/** Generations kept of a unit, the live one included. */
const mostGenerations = 6;

/** The kept logs of one unit, in a directory for each generation. Calls must not overlap. */
export class UnitArchive {
  readonly #directory: string;
  readonly #generations: KeptGeneration[];

  private constructor(directory: string, generations: KeptGeneration[]) {
    this.#directory = directory;
    this.#generations = generations;
  }

  static async read(directory: string): Promise<UnitArchive> {
    const generations: KeptGeneration[] = [];
    for (const name of (await readdir(directory).catch(() => [])).sort()) {
      const generation = await KeptGeneration.read(join(directory, name), name);
      if (generation) generations.push(generation);
    }
    return new UnitArchive(directory, generations);
  }

  /** The latest first. */
  get generations(): readonly KeptGeneration[] {
    return this.#generations.toSorted((one, other) => usedAt(other) - usedAt(one));
  }

  /** Keeps what the unit has written since the last time. @param keepBytes text kept of each generation */
  async collect(
    runtime: Pick<Runtime, 'logs' | 'inspect'>,
    unit: UnitRef,
    keepBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const state = await withTimeout(() => runtime.inspect(unit), { signal });
    const before = this.#live;
    const known = (generation: string): ReadUpTo | undefined => this.#readUpTo(generation);
    const logs = await newLines(runtime, unit, known, signal);
    const live = state.generation === undefined ? undefined : await this.#generation(state.generation, state);
    const at = Math.max(Date.now(), ...this.#generations.map((generation) => (generation.last?.at ?? 0) + 1));
    let order = 0;
    for (const [generation, lines] of logs) {
      const parts =
        generation === ''
          ? divide(lines, before, live, state)
          : [[await this.#generation(generation, state), lines] as const];
      for (const [kept, part] of parts) if (part.length > 0) await kept?.append(part, at + order++);
    }
    await this.#noteStates(live, state);
    for (const generation of this.#generations) await generation.trim(keepBytes);
    await this.#removeExcept(new Set(this.generations.slice(0, mostGenerations)));
  }

  /** Removes what was written before a time, and generations that have ended before it. */
  async removeBefore(time: number): Promise<void> {
    for (const generation of this.#generations) await generation.trim(Number.POSITIVE_INFINITY, time);
    const isKept = ({ facts, last }: KeptGeneration): boolean =>
      facts.endedAt === null || Math.max(facts.endedAt, last?.last ?? 0) >= time;
    await this.#removeExcept(new Set(this.#generations.filter(isKept)));
  }

  get #live(): KeptGeneration | undefined {
    return this.#generations.find(({ facts }) => facts.endedAt === null);
  }

  /** Of one generation's log, or of the log that all share. */
  #readUpTo(generation: string): ReadUpTo | undefined {
    const candidates =
      generation === '' ? this.#generations : this.#generations.filter(({ id }) => id === nameOf(generation));
    const last = candidates
      .flatMap((candidate) => candidate.last ?? [])
      .reduce<KeptGeneration['last']>((latest, frame) => (latest && latest.at > frame.at ? latest : frame), undefined);
    return last && { position: last.position, time: last.last };
  }

  async #generation(generation: string, state: UnitState): Promise<KeptGeneration> {
    const id = nameOf(generation);
    const known = this.#generations.find((kept) => kept.id === id);
    if (known) return known;
    const isLive = generation === state.generation;
    const facts: GenerationFacts = {
      commit: isLive ? state.commit : null,
      startedAt: (isLive ? state.startedAt?.getTime() : undefined) ?? Date.now(),
      endedAt: isLive ? null : Date.now(),
      state: isLive ? stateOf(state) : 'replaced',
      reason: isLive ? state.reason : null,
    };
    const created = await KeptGeneration.create(join(this.#directory, id), id, facts);
    this.#generations.push(created);
    return created;
  }

  async #noteStates(live: KeptGeneration | undefined, state: UnitState): Promise<void> {
    if (!live) return;
    for (const earlier of this.#generations)
      if (earlier !== live && earlier.facts.endedAt === null) {
        await earlier.note({ endedAt: state.startedAt?.getTime() ?? Date.now(), state: 'replaced' });
        await earlier.close();
      }
    const reason = state.reason ?? live.facts.reason;
    await live.note({ commit: state.commit, endedAt: null, state: stateOf(state), reason });
  }

  async #removeExcept(kept: ReadonlySet<KeptGeneration>): Promise<void> {
    for (const generation of [...this.#generations]) {
      if (kept.has(generation)) continue;
      await generation.remove();
      this.#generations.splice(this.#generations.indexOf(generation), 1);
    }
  }
}

/** In a log that generations share, the new one's lines start with its process. */
function divide(
  lines: UnitLogLine[],
  before: KeptGeneration | undefined,
  live: KeptGeneration | undefined,
  { startedAt }: UnitState,
): (readonly [KeptGeneration | undefined, UnitLogLine[]])[] {
  if (!before || before === live) return [[live ?? before, lines]];
  if (!live || !startedAt) return [[before, lines]];
  const start = lines.findIndex(({ time }) => time && time >= startedAt);
  const own = start === -1 ? lines.length : start;
  return [
    [before, lines.slice(0, own)],
    [live, lines.slice(own)],
  ];
}

const usedAt = ({ last, facts }: KeptGeneration): number =>
  facts.endedAt === null ? Number.POSITIVE_INFINITY : Math.max(last?.last ?? 0, facts.startedAt);

const stateOf = ({ state, reason }: UnitState): GenerationFacts['state'] => {
  if (state === 'active') return 'running';
  return reason === null ? 'stopped' : 'failed';
};

/** A runtime's id of a generation as the name of a directory. */
const nameOf = (generation: string): string =>
  /^[\w-]{1,64}$/.test(generation) ? generation : createHash('sha256').update(generation).digest('hex').slice(0, 32);
