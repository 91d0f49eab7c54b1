import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { followProgress } from '../../../../src/adapters/runtimes/docker/client/build-progress.ts';

test('does not take an overlong failure message for success', async () => {
  const error = `process "/bin/sh -c ${'x'.repeat(100_000)}" did not complete`;
  const bytes = Buffer.from(`${JSON.stringify({ stream: 'Step 1' })}\n${JSON.stringify({ error })}\n`);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, at) =>
    bytes.subarray(at * 1_000, (at + 1) * 1_000),
  );
  const lines: string[] = [];
  const work = { log: (line: string) => void lines.push(line), signal: new AbortController().signal };
  await expect(followProgress(async () => Readable.from(chunks), work)).rejects.toThrow('did not complete');
});
