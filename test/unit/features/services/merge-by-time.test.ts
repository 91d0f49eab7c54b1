import { describe, expect, test } from '@jest/globals';
import { mergeByTime } from '../../../../src/features/services/merge-by-time.ts';

interface Line {
  timestamp: string | null;
  text: string;
}
const line = (second: number | null, text: string): Line => ({
  timestamp: second === null ? null : new Date(Date.UTC(2026, 10, 22, 8, 0, second)).toISOString(),
  text,
});

async function* of(...items: (Line | Promise<unknown>)[]): AsyncGenerator<Line> {
  for (const item of items) {
    if (item instanceof Promise) await item;
    else yield item;
  }
}

async function textsOf(lines: AsyncIterable<Line>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { text } of lines) texts.push(text);
  return texts;
}

describe('merging lines of several sources', () => {
  test('sorts by time; keeps the order of each source, also after a clock change', async () => {
    const api = of(line(1, 'a1'), line(5, 'a5'), line(3, 'a3'));
    const frontend = of(line(2, 'f2'), line(4, 'f4'), line(6, 'f6'));
    expect(await textsOf(mergeByTime([api, frontend]))).toEqual(['a1', 'f2', 'f4', 'a5', 'a3', 'f6']);
  });

  test('waits for an earlier line that another source delivers slightly later', async () => {
    const later = Promise.withResolvers<void>();
    const api = of(line(2, 'a2'), line(3, 'a3'));
    const merged = mergeByTime([api, of(later.promise, line(1, 'f1'))], { holdMs: 60_000, firstHoldMs: 60_000 });
    const texts = textsOf(merged);
    setImmediate(() => later.resolve());
    expect(await texts).toEqual(['f1', 'a2', 'a3']);
  });

  test('does not wait longer for a silent source', async () => {
    const never = Promise.withResolvers<void>();
    const merged = mergeByTime([of(line(1, 'a1')), of(never.promise)], { holdMs: 5, firstHoldMs: 5 });
    expect((await merged.next()).value).toMatchObject({ text: 'a1' });
    never.resolve();
    expect((await merged.next()).done).toBe(true);
  });

  test('fails when a source fails', async () => {
    const broken = of(Promise.reject(new Error('gone')));
    await expect(textsOf(mergeByTime([of(), broken]))).rejects.toThrow('gone');
  });

  test('reads no further than the consumer', async () => {
    let given = 0;
    const endless = async function* (): AsyncGenerator<Line> {
      for (;;) {
        given += 1;
        yield line(given, String(given));
      }
    };
    const merged = mergeByTime([endless(), of(new Promise(() => undefined))], { holdMs: 60_000, firstHoldMs: 60_000 });
    expect((await merged.next()).value).toMatchObject({ text: '1' });
    expect(given).toBeLessThan(5_000);
    void merged.return(undefined);
  });
});
