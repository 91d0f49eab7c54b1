import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { BuildProgress, followProgress } from '../../../../src/adapters/runtimes/engine/client/build-progress.ts';

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

test('messages of BuildKit become one line per step and line of output; a damaged one is passed over', () => {
  const field = (number: number, value: string | Buffer): Buffer =>
    Buffer.concat([Buffer.from([number * 8 + 2, value.length]), Buffer.from(value)]);
  const time = Buffer.from([8, 1]);
  const step = Buffer.concat([field(1, 'digest'), field(3, 'RUN x'), field(5, time)]);
  const cached = Buffer.concat([step, Buffer.from([4 * 8, 1])]);
  const failed = Buffer.concat([step, field(6, time), field(7, 'exit code: 1')]);
  const output = Buffer.concat([field(1, 'digest'), field(2, time), Buffer.from([3 * 8, 1]), field(4, 'one\ntwo')]);

  const progress = new BuildProgress();
  const lines = (status: Buffer): string[] =>
    progress.lines(JSON.stringify({ id: 'moby.buildkit.trace', aux: status.toString('base64') }));
  expect(lines(Buffer.concat([field(1, cached), field(3, output)]))).toEqual(['RUN x (cached)', 'one']);
  expect(lines(Buffer.from([0xff, 0xff, 3]))).toEqual([]);
  expect(lines(field(1, failed))).toEqual(['two', 'RUN x: exit code: 1']);
});
