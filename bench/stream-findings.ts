import type { Findings } from './harness.ts';
import { spread } from './harness.ts';
import { benchStream } from './stream.ts';

const atMost = 1.1;

/** bench/stream.ts in the words of the other benchmarks. */
export async function benchStreamFindings(): Promise<Findings> {
  const { figures, peakRssMb, heldAloneMb, heldWatchedMb } = await benchStream();
  return {
    verdicts: figures.map(({ pace, rounds }) => ({
      what: `writing a log with viewers, ${pace}`,
      ratios: rounds.map(({ alone, watched }) => watched / alone),
      limit: { atMost },
    })),
    lines: [
      '50,000 lines, 200 plain WebSocket viewers in another process, 5 of them stalled',
      ...figures.flatMap(({ pace, rounds }) => [
        pace,
        `  alone    ${spread(
          rounds.map(({ alone }) => alone),
          'ms',
          0,
        )}`,
        `  watched  ${spread(
          rounds.map(({ watched }) => watched),
          'ms',
          0,
        )}`,
      ]),
      `peak memory ${peakRssMb} MB; held at the last line: alone ${heldAloneMb} MB, watched ${heldWatchedMb} MB`,
    ],
  };
}
