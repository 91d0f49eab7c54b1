import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parseRemoteRefs, versionTags } from '../../src/adapters/git/versions.ts';
import { BuildProgress } from '../../src/adapters/runtimes/engine/client/build-progress.ts';
import { findCause } from '../../src/adapters/runtimes/failure-causes.ts';
import type { Runtime, UnitLogLine } from '../../src/adapters/runtimes/runtime.ts';
import { RenderBudget, render } from '../../src/adapters/tenant-api/user-steps/placeholders.ts';
import { newLines } from '../../src/features/log-archive/keep/read-lines.ts';
import { linesOf } from '../../src/lib/files/lines.ts';
import { foreignLine, foreignText } from '../../src/lib/text/foreign-text.ts';
import { SecretMask } from '../../src/lib/text/secret-mask.ts';

/**
 * What a tenant can send into the manager's main thread, at its largest: while one of these runs, no other tenant is answered. The
 * probe prints the longest time for which the event loop did not turn; over 50 ms on a quiet machine is a fault to look into. No
 * figure is asserted, as a busy machine changes it.
 */
const kibibyte = 1024;
const secrets = Object.fromEntries(
  Array.from({ length: 200 }, (_, at) => [`API_KEY_${at}`, `sk_live_${at.toString(36).padStart(24, 'q7')}`]),
);
const mask = new SecretMask(secrets);

const refs = (): string =>
  [
    `ref: refs/heads/main\tHEAD\n${'a'.repeat(40)}\tHEAD`,
    ...Array.from(
      { length: 20_000 },
      (_, at) => `${at.toString(16).padStart(40, '0')}\trefs/tags/v${at % 7}.${at % 97}.${at}`,
    ),
  ].join('\n');

async function* chunks(text: string): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += 64 * kibibyte) {
    await turn();
    yield text.slice(from, from + 64 * kibibyte);
  }
}

/** What each does, and what must come of it. */
const inputs: [what: string, work: () => unknown, wanted: (result: unknown) => void][] = [
  [
    'a repository with 20,000 version tags',
    () => versionTags(parseRemoteRefs(refs())),
    (found) => expect(found).toHaveLength(20_000),
  ],
  [
    'a line of 1 MiB of which each piece begins like one of 200 secrets',
    () => mask.apply('sk_live_q7q7q7'.repeat((1024 * kibibyte) / 14)),
    (text) => expect(String(text).length).toBeGreaterThan(1_000_000),
  ],
  [
    '64 KiB of one secret after the other',
    () => mask.apply(`${secrets.API_KEY_7} `.repeat(2_000)),
    (text) => expect(text).not.toContain('sk_live'),
  ],
  [
    '1 MiB of control and direction characters',
    () => foreignText('\u202e\u001b[31m\u0007a'.repeat((1024 * kibibyte) / 8)),
    (text) => expect(text).not.toContain('\u202e'),
  ],
  [
    'one line of 1 MiB of blanks',
    () => foreignLine(' \t'.repeat(512 * kibibyte)),
    (text) => expect(text).toBeDefined(),
  ],
  [
    '500 lines of 8 KiB that almost match a cause',
    () => findCause(Array.from({ length: 500 }, () => `Error: ${'Cannot find module '.repeat(400)}`)),
    () => undefined,
  ],
  [
    '16,000 placeholders of 4 KiB',
    () => {
      const values = { environment: {}, captured: new Map([['a', '\ud800'.repeat(4_096)]]) };
      return (() =>
        render(['$', '{a}'].join('').repeat(16_000), values, new RenderBudget(64 * kibibyte, 'too long'))) as unknown;
    },
    (rendering) => expect(rendering as () => string).toThrow('too long'),
  ],
  [
    'a log of 16 MiB without a line break',
    async () => {
      let lines = 0;
      for await (const _line of linesOf(chunks('x'.repeat(16 * 1024 * kibibyte)), kibibyte * kibibyte)) lines += 1;
      return lines;
    },
    (lines) => expect(lines).toBeGreaterThan(0),
  ],
  [
    '700,000 kept lines of one character',
    async () => {
      const line = {
        message: 'x',
        time: new Date(),
        stream: 'stdout',
        position: '1',
        generation: '',
      } as unknown as UnitLogLine;
      async function* logs() {
        for (let at = 0; at < 700_000; at += 1) {
          // They come from a file or an engine, piece by piece.
          if (at % 2_000 === 0) await turn();
          yield line;
        }
      }
      const found = await newLines(
        { logs } as unknown as Pick<Runtime, 'logs'>,
        {} as never,
        () => undefined,
        new AbortController().signal,
      );
      return [...found.values()].reduce((sum, lines) => sum + lines.length, 0);
    },
    (count) => expect(count).toBeLessThan(250_000),
  ],
  [
    '5,000 messages of a build with 4 KiB each',
    () => {
      const progress = new BuildProgress();
      const message = JSON.stringify({ stream: `${'y'.repeat(4_096)}\n` });
      return Array.from({ length: 5_000 }, () => progress.lines(message)).flat().length;
    },
    (lines) => expect(lines).toBe(5_000),
  ],
];

describe('main-thread work on a tenant’s input', () => {
  const figures: string[] = [];
  afterAll(() => console.info(['longest stop of the event loop, in ms:', ...figures].join('\n  ')));

  test.each(inputs)('%s', async (what, work, wanted) => {
    const longest = await probed(async () => wanted(await work()));
    figures.push(`${String(longest).padStart(6)}  ${what}`);
  });
});

/** The longest time for which the event loop did not turn during work. Milliseconds. */
async function probed(work: () => Promise<void>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  await turn();
  delays.enable();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  delays.disable();
  return Math.round(delays.max / 1e6);
}
