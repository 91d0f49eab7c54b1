import { join } from 'node:path';
import { open } from '../../../lib/files/changes.ts';
import { segmentsIn } from './generation.ts';
import { decodeLine, type KeptLine } from './line.ts';
import { framesIn, segmentName, textOf } from './segment.ts';

/** The last lines in generations' directories, of which the latest comes first; the oldest line first. */
export async function lastLinesIn(directories: readonly string[], count: number): Promise<KeptLine[]> {
  const found: string[] = [];
  for (const directory of directories) {
    for (const number of (await segmentsIn(directory)).reverse()) {
      const file = await open(join(directory, segmentName(number)), 'r');
      try {
        for (const frame of (await framesIn(file)).frames.toReversed()) {
          if (found.length >= count) break;
          const text = await textOf(file, frame);
          found.push(...text.toString('utf8').split('\n').slice(0, -1).reverse());
        }
      } finally {
        await file.close();
      }
    }
  }
  return found.slice(0, count).reverse().map(decodeLine);
}
