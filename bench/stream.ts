import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OpenStreams } from '../src/app/realtime/open-streams.ts';
import { createRealtime, type Realtime } from '../src/app/realtime/realtime.ts';
import { notFound } from '../src/lib/errors.ts';
import type { Principal } from '../src/lib/http/routing/route.ts';
import { createLogger } from '../src/lib/logger.ts';
import { MessageFile } from '../src/lib/streams/message-file.ts';
import { ReplayStream } from '../src/lib/streams/replay-stream.ts';
import { heldBytes, megabytes, watchPeak } from './stream-memory.ts';
import type { ViewersAnswer, ViewersRequest } from './stream-viewers.ts';

const lines = 50_000;
const viewers = 200;
const stalled = 5;
/** A log with viewers may be written at most so much slower than one without. */
const allowedRatio = 1.1;

interface Pace {
  name: string;
  /** Lines between two turns of the event loop. */
  linesPerTurn: number;
  /** Milliseconds of pause after each turn's lines; undefined: the next turn at once. */
  pause?: number;
  rounds: number;
  /** Logs written one after the other in a round, on each side: one alone is over too soon to be measured. */
  logs: number;
}

const paces: readonly Pace[] = [
  { name: '50 lines a turn', linesPerTurn: 50, rounds: 11, logs: 3 },
  { name: '50 lines every 2 ms', linesPerTurn: 50, pause: 2, rounds: 9, logs: 1 },
  { name: 'flat out', linesPerTurn: lines, rounds: 15, logs: 6 },
];

export interface StreamFigures {
  pace: string;
  /** Milliseconds from the first line of a log appended to its last one in the file: medians. */
  alone: number;
  watched: number;
  /** The median of the rounds' ratios: what slows the machine for a while slows both sides of a round. */
  ratio: number;
  /** The same in CPU time of the writer's thread, serving included: other work on the machine does not show in it. */
  cpuRatio: number;
  logs: number;
  rounds: Round[];
}

/** The sums of a round's logs, or the most of one. */
interface Round {
  alone: number;
  watched: number;
  cpuAlone: number;
  cpuWatched: number;
  /** Milliseconds from the last line written to the last one seen by the last viewer that reads. */
  deliveredAfter: number;
  /** Bytes that can't be collected when the last line is written: memory that grows with viewers would show here. */
  heldAlone: number;
  heldWatched: number;
}

export interface StreamBench {
  figures: StreamFigures[];
  peakRssMb: number;
  /** The most that was held at the end of a writing, with no viewers and with all of them behind. */
  heldAloneMb: number;
  heldWatchedMb: number;
  met: boolean;
}

/** One log of 50,000 lines to 200 viewers, 5 of them stalled, against the same writer with no viewers. */
export async function benchStream(): Promise<StreamBench> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-stream-'));
  const tails = new Map<string, ReplayStream>();
  const httpServer = createServer();
  const logger = createLogger({ level: 'silent' });
  const authenticate = async (): Promise<Principal> => ({
    userId: '1',
    username: 'bench',
    role: 'viewer',
    mustChangePassword: false,
  });
  const live = createRealtime({
    httpServer,
    streams: {
      async deployment(id) {
        const tail = tails.get(id);
        if (!tail) throw notFound('deployment', id);
        return tail;
      },
    },
    authenticate,
    addressOf: () => '',
    openStreams: new OpenStreams({ authenticate, logger, limits: { perUser: 1_000 } }),
    allowedOrigins: [],
    logger,
  });
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const { port } = httpServer.address() as AddressInfo;
  const child = fork(fileURLToPath(new URL('stream-viewers.ts', import.meta.url)));
  const peak = watchPeak();
  try {
    const figures: StreamFigures[] = [];
    for (const pace of paces) figures.push(await measure(pace, { directory, tails, port, child, live }));
    const all = figures.flatMap((figure) => figure.rounds);
    return {
      figures,
      peakRssMb: megabytes(peak.stop()),
      heldAloneMb: megabytes(Math.max(...all.map((round) => round.heldAlone))),
      heldWatchedMb: megabytes(Math.max(...all.map((round) => round.heldWatched))),
      met: figures.every(({ ratio }) => ratio <= allowedRatio),
    };
  } finally {
    peak.stop();
    live.close();
    child.disconnect();
    httpServer.closeAllConnections();
    httpServer.close();
    await rm(directory, { recursive: true });
  }
}

interface Stage {
  directory: string;
  tails: Map<string, ReplayStream>;
  port: number;
  child: ChildProcess;
  live: Realtime;
}

async function measure(pace: Pace, stage: Stage): Promise<StreamFigures> {
  const results: StreamFigures['rounds'] = [];
  // The first round warms up and does not count.
  for (let round = 0; round <= pace.rounds; round += 1) {
    const result: Round = {
      alone: 0,
      watched: 0,
      cpuAlone: 0,
      cpuWatched: 0,
      deliveredAfter: 0,
      heldAlone: 0,
      heldWatched: 0,
    };
    for (let log = 0; log < pace.logs; log += 1) {
      // What goes first alternates, so that neither always finds the warmer machine.
      for (const count of (round + log) % 2 === 0 ? [0, viewers] : [viewers, 0]) {
        const { took, cpu, held, deliveredAfter } = await run(pace, count, stage);
        if (count === 0) {
          result.alone += took;
          result.cpuAlone += cpu;
          result.heldAlone = Math.max(result.heldAlone, held);
        } else {
          result.watched += took;
          result.cpuWatched += cpu;
          result.heldWatched = Math.max(result.heldWatched, held);
          result.deliveredAfter = Math.max(result.deliveredAfter, deliveredAfter);
        }
      }
    }
    if (round > 0) results.push(result);
  }
  const middle = (figure: (round: Round) => number): number => median(results.map(figure));
  return {
    pace: pace.name,
    alone: middle(({ alone }) => alone / pace.logs),
    watched: middle(({ watched }) => watched / pace.logs),
    ratio: middle(({ alone, watched }) => watched / alone),
    cpuRatio: middle(({ cpuAlone, cpuWatched }) => cpuWatched / cpuAlone),
    logs: pace.logs,
    rounds: results,
  };
}

interface RunFigures {
  took: number;
  cpu: number;
  held: number;
  deliveredAfter: number;
}

let runs = 0;

async function run(pace: Pace, count: number, stage: Stage): Promise<RunFigures> {
  runs += 1;
  const id = `run-${runs}`;
  const file = new MessageFile(join(stage.directory, `${id}.ndjson`));
  const tail = new ReplayStream({ file });
  stage.tails.set(id, tail);
  if (count > 0) {
    await ask(stage.child, { type: 'open', port: stage.port, path: `/ws/deployments/${id}`, viewers: count, stalled });
  }
  const before = heldBytes();
  const cpuBefore = process.threadCpuUsage();
  const took = await write(tail, pace);
  const end = performance.now();
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const held = heldBytes() - before;
  tail.close();
  if (count > 0) {
    const seen = await ask(stage.child, { type: 'finish', messages: lines });
    if (seen.type !== 'finished' || seen.complete !== count - stalled || seen.gaps > 0) {
      throw new Error(`Not every viewer saw every line: ${JSON.stringify(seen)}`);
    }
  }
  const deliveredAfter = performance.now() - end;
  while (stage.live.connections() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await tail.flushed();
  await rm(file.path);
  stage.tails.delete(id);
  return { took, cpu: (user + system) / 1_000, held, deliveredAfter };
}

async function write(tail: ReplayStream, pace: Pace): Promise<number> {
  const start = performance.now();
  for (let line = 0; line < lines; ) {
    for (const end = Math.min(lines, line + pace.linesPerTurn); line < end; line += 1) {
      tail.append({ type: 'log', message: `#12 [build ${line % 9}/9] added package number ${line} of the lock file` });
    }
    if (pace.pause !== undefined) await new Promise((resolve) => setTimeout(resolve, pace.pause));
    else await nextTurn();
  }
  await tail.flushed();
  return performance.now() - start;
}

async function ask(child: ChildProcess, request: ViewersRequest): Promise<ViewersAnswer> {
  child.send(request);
  const [answer] = (await once(child, 'message')) as [ViewersAnswer];
  return answer;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(bench: StreamBench): string {
  const text = [
    `One log of ${lines} lines, ${viewers} plain WebSocket viewers in another process (${stalled} stalled), loopback,`,
    `rounds alternate with a writer alone, medians; Node ${process.version}, ${cpus().length} CPUs.`,
  ];
  for (const { pace, alone, watched, ratio, cpuRatio, rounds: all } of bench.figures) {
    const delivered = median(all.map(({ deliveredAfter }) => deliveredAfter));
    text.push(
      `${pace}: alone ${alone.toFixed(0)} ms, watched ${watched.toFixed(0)} ms, ratio ${ratio.toFixed(3)} (CPU ${cpuRatio.toFixed(3)}); all delivered ${delivered.toFixed(0)} ms after the last line`,
      `  alone   ${all.map((round) => round.alone.toFixed(0)).join(' ')}`,
      `  watched ${all.map((round) => round.watched.toFixed(0)).join(' ')}`,
    );
  }
  text.push(
    `Peak RSS ${bench.peakRssMb} MB; held when the last line is written: alone at most ${bench.heldAloneMb} MB, watched ${bench.heldWatchedMb} MB`,
  );
  text.push(bench.met ? `met: at most ${allowedRatio}` : `NOT met: at most ${allowedRatio}`);
  return text.join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bench = await benchStream();
  console.log(report(bench));
  process.exitCode = bench.met ? 0 : 1;
}
