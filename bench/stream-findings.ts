import type { Findings } from './harness.ts';
import { spread } from './harness.ts';
import { benchStream } from './stream.ts';

const atMost = 1.1;
/** Memory that grows with viewers that lag would be many times what the log alone holds. */
const heldAtMost = 1.5;

/** bench/stream.ts in the words of the other benchmarks. */
export async function benchStreamFindings(): Promise<Findings> {
  const { figures, peakRssMb, heldAloneMb, heldWatchedMb } = await benchStream();
  return {
    verdicts: [
      ...figures.map(({ pace, rounds }) => ({
        what: `writing a log with viewers, ${pace}`,
        ratios: rounds.map(({ watched, alone }) => watched / alone),
        limit: { atMost },
      })),
      { what: 'memory held with viewers', ratios: [heldWatchedMb / heldAloneMb], limit: { atMost: heldAtMost } },
    ],
    lines: [
      '50,000 lines, 200 plain WebSocket viewers in another process, 5 of them stalled',
      ...figures.flatMap(({ pace, rounds, logs, cpuRatio }) => {
        const each = (sums: number[]): string =>
          spread(
            sums.map((sum) => sum / logs),
            'ms',
            0,
          );
        return [
          `${pace}, ${logs === 1 ? 'one log' : `${logs} logs one after the other`} a round; ratio of CPU time, serving included, ${cpuRatio.toFixed(2)}`,
          `  alone    ${each(rounds.map(({ alone }) => alone))} a log`,
          `  watched  ${each(rounds.map(({ watched }) => watched))} a log`,
        ];
      }),
      `peak memory ${peakRssMb} MB; held at the last line: alone ${heldAloneMb} MB, watched ${heldWatchedMb} MB`,
    ],
  };
}
