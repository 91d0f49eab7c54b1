import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { OpenStreams } from '../../src/app/realtime/open-streams.ts';
import { createRealtime, type Realtime } from '../../src/app/realtime/realtime.ts';
import { notFound } from '../../src/lib/errors.ts';
import type { Principal } from '../../src/lib/http/routing/route.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { MessageFile } from '../../src/lib/streams/message-file.ts';
import { ReplayStream } from '../../src/lib/streams/replay-stream.ts';
import { type Findings, median, type Stage, spread } from '../harness/harness.ts';
import type { ViewersAnswer, ViewersRequest } from './viewers.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const lines = 50_000;
const viewers = 200;
const stalled = 5;
/** The limit of the time to write a log with viewers, as a ratio to the time without. */
const timeAtMost = 1.1;
/** Memory that grows with slow viewers would be many times what the log alone holds. */
const heldAtMost = 1.5;

interface Pace {
  name: string;
  /** Lines between two turns of the event loop. */
  linesPerTurn: number;
  /** Milliseconds of pause after each turn's lines; undefined: no pause. */
  pause?: number;
  rounds: number;
  /** Logs written one after the other per round and side, because one log takes too little time to measure. */
  logs: number;
}

const paces: readonly Pace[] = [
  { name: '50 lines a turn', linesPerTurn: 50, rounds: 11, logs: 3 },
  { name: '50 lines every 2 ms', linesPerTurn: 50, pause: 2, rounds: 9, logs: 1 },
  { name: 'flat out', linesPerTurn: lines, rounds: 15, logs: 6 },
];

/** Times are sums over a round's logs, in milliseconds; the other figures are the largest of one log. */
interface Round {
  alone: number;
  watched: number;
  cpuAlone: number;
  cpuWatched: number;
  /** Milliseconds from the last line written until every reading viewer has received it. */
  deliveredAfter: number;
  /** Bytes on the heap after a garbage collection when the last line is written. Memory that grows with viewers shows here. */
  heldAlone: number;
  heldWatched: number;
}

/** One log of 50,000 lines to 200 viewers, 5 of them stalled, against the same writer with no viewers. */
export async function benchStream({ directory, say }: Stage): Promise<Findings> {
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
  const child = fork(join(import.meta.dirname, 'viewers.ts'));
  const peak = watchPeak();
  try {
    const figures: Figures[] = [];
    for (const pace of paces) {
      figures.push({ pace, rounds: await measure(pace, { directory, tails, port, child, live, say }) });
    }
    return findingsOf(figures, peak.stop());
  } finally {
    peak.stop();
    live.close();
    child.disconnect();
    httpServer.closeAllConnections();
    httpServer.close();
  }
}

interface Figures {
  pace: Pace;
  rounds: readonly Round[];
}

/** The ratio of CPU time includes serving the viewers, and is independent of other work on the machine. */
function findingsOf(figures: readonly Figures[], peakBytes: number): Findings {
  const all = figures.flatMap(({ rounds }) => rounds);
  const heldAlone = megabytes(Math.max(...all.map((round) => round.heldAlone)));
  const heldWatched = megabytes(Math.max(...all.map((round) => round.heldWatched)));
  return {
    verdicts: [
      ...figures.map(({ pace, rounds }) => ({
        what: `writing a log with viewers, ${pace.name}`,
        ratios: rounds.map(({ watched, alone }) => watched / alone),
        limit: { atMost: timeAtMost },
      })),
      { what: 'memory held with viewers', ratios: [heldWatched / heldAlone], limit: { atMost: heldAtMost } },
    ],
    lines: [
      '50,000 lines, 200 plain WebSocket viewers in another process, 5 of them stalled',
      ...figures.flatMap(({ pace: { name, logs }, rounds }) => {
        const each = (sums: number[]): string =>
          spread(
            sums.map((sum) => sum / logs),
            'ms',
            0,
          );
        const cpuRatio = median(rounds.map(({ cpuAlone, cpuWatched }) => cpuWatched / cpuAlone));
        const delivered = median(rounds.map(({ deliveredAfter }) => deliveredAfter));
        return [
          `${name}, ${logs === 1 ? 'one log' : `${logs} logs one after the other`} a round; ratio of CPU time, serving included, ${cpuRatio.toFixed(2)}; delivered ${delivered.toFixed(0)} ms after the last line`,
          `  alone    ${each(rounds.map(({ alone }) => alone))} a log`,
          `  watched  ${each(rounds.map(({ watched }) => watched))} a log`,
        ];
      }),
      `peak memory ${megabytes(peakBytes)} MB; held at the last line: alone ${heldAlone} MB, watched ${heldWatched} MB`,
    ],
  };
}

interface World {
  directory: string;
  tails: Map<string, ReplayStream>;
  port: number;
  child: ChildProcess;
  live: Realtime;
  say: Stage['say'];
}

async function measure(pace: Pace, world: World): Promise<Round[]> {
  const results: Round[] = [];
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
      // The order alternates, so that neither side always runs on the warmer machine.
      for (const count of (round + log) % 2 === 0 ? [0, viewers] : [viewers, 0]) {
        const { took, cpu, held, deliveredAfter } = await run(pace, count, world);
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
    world.say(`${pace.name} ${round}: ${result.watched.toFixed(0)} ms, alone ${result.alone.toFixed(0)} ms`);
    if (round > 0) results.push(result);
  }
  return results;
}

interface RunFigures {
  took: number;
  cpu: number;
  held: number;
  deliveredAfter: number;
}

let runs = 0;

async function run(pace: Pace, count: number, world: World): Promise<RunFigures> {
  runs += 1;
  const id = `run-${runs}`;
  const file = new MessageFile(join(world.directory, `${id}.ndjson`));
  const tail = new ReplayStream({ file });
  world.tails.set(id, tail);
  if (count > 0) {
    await ask(world.child, { type: 'open', port: world.port, path: `/ws/deployments/${id}`, viewers: count, stalled });
  }
  const before = heldBytes();
  const cpuBefore = process.threadCpuUsage();
  const took = await write(tail, pace);
  const end = performance.now();
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const held = heldBytes() - before;
  tail.close();
  if (count > 0) {
    const seen = await ask(world.child, { type: 'finish', messages: lines });
    if (seen.type !== 'finished' || seen.complete !== count - stalled || seen.gaps > 0) {
      throw new Error(`Not every viewer saw every line: ${JSON.stringify(seen)}`);
    }
  }
  const deliveredAfter = performance.now() - end;
  while (world.live.connections() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await tail.flushed();
  await rm(file.path);
  world.tails.delete(id);
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

/** Bytes of the heap and its buffers after a garbage collection. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The largest resident set from now until `stop`, in bytes. */
function watchPeak(): { stop(): number } {
  let peak = 0;
  const sample = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, 50);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
