import { linesOf, longestMessage } from '../../../../lib/files/lines.ts';
import type { Work } from '../../runtime.ts';
import { BuildProgress } from './build-progress.ts';
import { callDocker, translateError } from './errors.ts';

/**
 * Follows a build or a pull to its end, line by line.
 * @param begin opens the stream; given the signal, so that an abort closes the connection and the engine ends the work
 * @throws Error with the engine's words for a failure told inside the stream; the signal's reason when aborted
 */
export async function followProgress(
  begin: (signal: AbortSignal) => Promise<NodeJS.ReadableStream>,
  work: Work,
): Promise<void> {
  const stream = await callDocker(() => begin(work.signal), work.signal);
  const progress = new BuildProgress();
  try {
    for await (const json of linesOf(stream as AsyncIterable<Uint8Array | string>, longestMessage))
      for (const line of progress.lines(json)) work.log(line);
  } catch (error) {
    throw translateError(error, work.signal);
  }
  for (const line of progress.end()) work.log(line);
  if (progress.error !== undefined) throw new Error(progress.error);
}
