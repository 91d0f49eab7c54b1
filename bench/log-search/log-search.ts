import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { UnitLogLine } from '../../src/adapters/runtimes/runtime.ts';
import { KeptGeneration } from '../../src/features/log-archive/keep/generation.ts';
import { encodeLine } from '../../src/features/log-archive/keep/line.ts';
import type { SearchResult, SearchTask } from '../../src/features/log-archive/search/scan.ts';
import { runTask } from '../../src/lib/workers/worker-task.ts';
import { alternate, type Findings, figures, ratiosOf, type Stage } from '../harness/harness.ts';

const run = promisify(execFile);
const entry = new URL('../../src/features/log-archive/search/worker.ts', import.meta.url);

const totalBytes = 1024 ** 3;
const generations = 5;
const linesAtOnce = 30_000;
const rounds = 5;
const atMost = 5;
/** For the first hit, in seconds. */
const firstHitWithin = 1;
const needle = 'Zzyzx the 7 pelicans';

/** Searches of 1 GB of kept logs, thread included, against ripgrep (or grep) on the same lines unpacked. */
export async function benchLogSearch(stage: Stage): Promise<Findings> {
  const [kept, plain] = [join(stage.directory, 'kept'), join(stage.directory, 'plain')];
  const { packed, bytes } = await fill(kept, plain, stage);
  const peer = await peerSearch(plain);
  const task = (text: string, limit: number): SearchTask => ({
    ...{ task: 'search', directory: kept, roles: ['api', 'frontend'], context: 2 },
    ...{ text, limit, pageWithinMs: 700, timeoutMs: 60_000 },
  });
  const search = (text: string, limit: number) => () =>
    timed(async () => {
      const { hits } = await runTask<SearchTask, never, SearchResult>(entry, task(text, limit), {
        heapMb: 160,
        processorMs: 120_000,
      });
      if (hits.length === 0) throw new Error(`nothing found: ${text}`);
    });

  const all = await alternate(
    { rounds },
    { ours: search(needle.toLowerCase(), 50), peer: () => timed(() => peer.search(needle.toLowerCase())) },
    (round, pair) => stage.say(`${round}: ${pair.ours.toFixed(2)} s, ${peer.name} ${pair.peer.toFixed(2)} s`),
  );
  const first: number[] = [];
  for (let round = 0; round < rounds; round += 1) first.push(await search('answered 503', 1)());
  return {
    verdicts: [
      { what: `one line among all, the oldest, against ${peer.name}`, ratios: ratiosOf(all), limit: { atMost } },
      { what: 'seconds to the first hit of a text that occurs', ratios: first, limit: { atMost: firstHitWithin } },
    ],
    lines: [
      `${(bytes / 1024 ** 2).toFixed(0)} MiB of text in ${(packed / 1024 ** 2).toFixed(0)} MiB, ${generations} generations; the page cache has both; each search of Tenantry starts its own thread`,
      ...figures(all, peer.name, 's', 2),
    ],
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Keeps lines, and writes the same ones to plain files; the needle is the very first line. */
async function fill(kept: string, plain: string, stage: Stage): Promise<{ packed: number; bytes: number }> {
  await mkdir(plain, { recursive: true });
  const random = randomFrom(7);
  let bytes = 0;
  let time = Date.parse('2026-11-01T00:00:00Z');
  for (let number = 0; number < generations; number += 1) {
    const id = `g${number}`;
    const facts = { commit: null, startedAt: time, endedAt: null, state: 'running', reason: null } as const;
    const generation = await KeptGeneration.create(join(kept, 'api', id), id, facts);
    const file = createWriteStream(join(plain, `${id}.log`));
    while (bytes < ((number + 1) * totalBytes) / generations) {
      const lines: UnitLogLine[] = [];
      for (let count = 0; count < linesAtOnce; count += 1) {
        time += 20;
        const message = bytes === 0 && count === 0 ? needle : messageOf(random);
        lines.push({ stream: 'stdout', message, time: new Date(time) });
      }
      await generation.append(lines, time);
      const text = `${lines.map(encodeLine).join('\n')}\n`;
      bytes += text.length;
      await new Promise((resolve) => file.write(text, resolve));
    }
    await new Promise((resolve) => file.end(resolve));
    stage.say(`kept ${(bytes / 1024 ** 2).toFixed(0)} MiB`);
  }
  const { stdout } = await run('du', ['-sb', kept]);
  return { packed: Number.parseInt(stdout, 10), bytes };
}

function messageOf(random: () => number): string {
  const pick = (most: number): number => Math.floor(random() * most);
  const status = pick(1_000) === 0 ? 503 : 200;
  const address = `10.${pick(256)}.${pick(256)}.${pick(256)}`;
  return `INFO request ${pick(1e9).toString(36)} of ${address}: GET /api/persons/${pick(1e6)}?page=${pick(40)} answered ${status} in ${pick(900)} ms`;
}

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function peerSearch(directory: string): Promise<{ name: string; search(text: string): Promise<unknown> }> {
  const options = ['-a', '-i', '-F'];
  const hasRipgrep = await run('rg', ['--version']).then(
    () => true,
    () => false,
  );
  if (hasRipgrep) return { name: 'ripgrep', search: (text) => run('rg', [...options, text, directory]) };
  return { name: 'grep', search: (text) => run('grep', ['-r', ...options, text, directory]) };
}
