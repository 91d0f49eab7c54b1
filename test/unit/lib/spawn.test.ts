import { describe, expect, test } from '@jest/globals';
import { killGroups, runningPrograms } from '../../../src/lib/concurrency/running-programs.ts';
import { LineSplitter } from '../../../src/lib/files/lines.ts';
import { runProgram } from '../../../src/lib/spawn.ts';

const env = { PATH: '/usr/bin:/bin' };
const shell = (line: string) => ['-c', line] as const;

describe('a program', () => {
  test('returns its exit code and the end of both outputs', async () => {
    const lines: string[] = [];
    const result = await runProgram('/bin/sh', shell('echo one; echo two >&2; exit 3'), {
      env,
      onLine: (line) => lines.push(line),
    });
    expect(result).toMatchObject({ exitCode: 3, timedOut: false });
    expect(lines.sort()).toEqual(['one', 'two']);
    const long = await runProgram('/bin/sh', shell('yes | head -c 400000; echo; echo the end'), { env });
    expect(long.output).toHaveLength(64 * 1024);
    expect(long.output.endsWith('the end\n')).toBe(true);
  });

  test.each([
    ['a cancel', { signal: () => AbortSignal.timeout(300) }],
    ['its time', { timeoutMs: 300 }],
  ])('ends by %s though a process that left its group holds its output open', async (_, limits) => {
    const { signal, ...rest } = { signal: undefined, ...limits };
    let holder = 0;
    const running = runProgram('/bin/sh', shell('setsid sleep 3600 & echo $!; sleep 3600'), {
      env,
      signal: signal?.(),
      onLine: (line) => (holder = Number(line)),
      ...rest,
    });
    if (signal) await expect(running).rejects.toMatchObject({ name: 'TimeoutError' });
    else expect(await running).toMatchObject({ timedOut: true });
    // It still runs, and only the test ends it.
    process.kill(holder);
  });
});

test('truncates a line that is too long, at any chunk boundary', () => {
  const splitter = new LineSplitter(4);
  expect([
    ...splitter.push('abcdef'),
    ...splitter.push('gh\nij\n'),
    ...splitter.push('klmnopqrs'),
    ...splitter.end(),
  ]).toEqual(['abcd', 'efgh', 'ij', 'klmn', 'opqr', 's']);
});

test('a group that can’t be signalled does not keep the others from their end', async () => {
  let group = 0;
  const onLine = (line: string): void => {
    group = Number(line);
    killGroups([Number.NaN, group]);
  };
  expect(await runProgram('/bin/sh', shell('echo $$; sleep 3600'), { env, onLine })).toMatchObject({ exitCode: null });
  expect(runningPrograms.groups).not.toContain(group);
});
