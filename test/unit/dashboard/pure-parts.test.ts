import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '../../../dashboard/src/api/api-error.ts';
import { withLevels } from '../../../dashboard/src/components/log/log-level.ts';
import { downloadedLine, isHealthCheck, lineTime } from '../../../dashboard/src/components/log/log-time.ts';
import type { LogLine } from '../../../dashboard/src/components/log/replay-dedup.ts';
import { search } from '../../../dashboard/src/components/log/use-matches.ts';
import {
  countChanges,
  entriesOf,
  looksSecret,
  merged,
  newRow,
  problemsOf,
  rowsOf,
} from '../../../dashboard/src/features/configuration/environment/env-rows.ts';
import { readEnvText } from '../../../dashboard/src/features/configuration/environment/env-text.ts';
import { drawTimes, summaryOf } from '../../../dashboard/src/features/tenant/overview/times.ts';
import { fullTime, momentOf } from '../../../dashboard/src/lib/figures.ts';
import { hideSecrets } from '../../../src/features/tenant-config/custom-env.ts';
import { renderEnvFile } from '../../../src/features/tenant-config/env-file.ts';

const read = (text: string): Record<string, string> => Object.fromEntries(readEnvText(text).entries);

describe('the text of a .env file', () => {
  test.each([
    ['A=1', { A: '1' }],
    ['A=1\r\nB=2', { A: '1', B: '2' }],
    ['# a comment\n\n  export A = 1  # why', { A: '1' }],
    ['A=\'it is # no comment\'\nB="two\\nlines"', { A: 'it is # no comment', B: 'two\nlines' }],
    ['KEY="-----BEGIN\nabc\n-----END"\nB=2', { KEY: '-----BEGIN\nabc\n-----END', B: '2' }],
    ['A="not closed\nB=2', { A: '"not closed', B: '2' }],
    ['A=\nB=x=y', { A: '', B: 'x=y' }],
    ['A=1\nA=2', { A: '2' }],
  ])('%j', (text, entries) => {
    expect(read(text)).toEqual(entries);
    expect(parseEnv(text)).toEqual(entries);
  });

  test('invalid lines are listed by number', () => {
    expect(readEnvText('A=1\nnothing\n# x\n=2\nB=3').skipped).toEqual([2, 4]);
  });

  test('parses what Tenantry writes as Node does', () => {
    const piece = fc.constantFrom("'", '"', '`', '\n', '$', '#', ' ', '=', 'a', 'é', '\\');
    const value = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
        const environment = Object.fromEntries(values.map((one, index) => [`KEY_${index}`, one]));
        const { content, omitted } = renderEnvFile(environment);
        const written = Object.entries(environment).filter(([key]) => !omitted.includes(key));
        expect(read(content)).toEqual(Object.fromEntries(written));
      }),
    );
  });
});

describe('rows of entries', () => {
  test('know changes and errors', () => {
    const saved = { A: '1', B_TOKEN: '***hidden***' };
    const rows = rowsOf(saved);
    expect(countChanges(rows, saved)).toBe(0);
    const more = [...rows, newRow('A', '2'), newRow('', 'lost'), newRow()];
    expect(Object.values(problemsOf(more))).toHaveLength(2);
    expect(countChanges([...rows.slice(1), newRow('C', '3')], saved)).toBe(2);
    expect(entriesOf([...rows, newRow()])).toEqual(saved);
  });

  test('import a file, with or without removing other entries', () => {
    const rows = rowsOf({ A: '1', B: '2', C: '3' });
    const file = new Map([
      ['D', '4'],
      ['B', '2'],
      ['A', 'one'],
    ]);
    const taken = merged(rows, file, false);
    expect(entriesOf(taken.rows)).toEqual({ A: 'one', B: '2', C: '3', D: '4' });
    expect(taken).toMatchObject({ added: 1, changed: 1, same: 1 });
    expect(entriesOf(merged(rows, file, true).rows)).toEqual({ A: 'one', B: '2', D: '4' });
  });

  test.each([
    'SMTP_PASSWORD',
    'API_KEY',
    'KEYS',
    'X_TOKEN_Y',
    'SENTRY_DSN',
    'PASSAGE',
    'MONKEY',
    'AUTHOR',
    'KEY_',
    'PASS',
  ])('masks %s where the manager hides it', (name) => {
    expect(looksSecret(newRow(name, 'x'))).toBe(hideSecrets({ [name]: 'x' })[name] !== 'x');
  });
});

describe('response times', () => {
  test('are described in a few words', () => {
    expect(summaryOf([5, null, 40, 12])).toEqual({ fastest: 5, middle: 12, slowest: 40, missing: 1, checks: 4 });
    expect(summaryOf([null])).toEqual({ fastest: null, middle: null, slowest: null, missing: 1, checks: 1 });
  });

  test('are drawn from left to right, with a gap for no response', () => {
    expect(drawTimes([0, 50, null, 100, null], 100, 20)).toEqual({ line: 'M0 20h0L25 10M75 0h0', gaps: [50, 100] });
    // Fast values are low, however little they vary.
    expect(drawTimes([1, 2], 100, 20).line).toBe('M0 19.6h0L100 19.2');
    expect(drawTimes([], 100, 20)).toEqual({ line: '', gaps: [] });
  });
});

describe('a search in a log', () => {
  test('that continues an earlier one finds what a new one finds', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'B', 'c'), maxLength: 4 }).map((text) => ({ from: '', text }));
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 3 });
    const step = fc.record({ words, more: fc.array(line, { maxLength: 3 }), drop: fc.nat(1) });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(step, { maxLength: 6 }), (first, steps) => {
        let lines: readonly LogLine[] = first;
        let before = { lines: [] as readonly LogLine[], words: '', found: [] as readonly LogLine[] };
        for (const { words, more, drop } of steps) {
          lines = [...lines.slice(drop), ...more];
          const found = search(lines, words, before);
          expect(found).toEqual(lines.filter(({ text }) => text.toLowerCase().includes(words)));
          before = { lines, words, found };
        }
      }),
    );
  });
});

describe('the time of a log line', () => {
  const time = '2026-11-22T08:00:00.123Z';

  test('is the viewer’s, with the date unless it is today, and in full with UTC', () => {
    expect(lineTime(time, new Date(time))).toMatch(/^\d\d:\d\d:00\.123$/);
    expect(lineTime(time, new Date('2026-12-24T08:00:00Z'))).toMatch(/^2\d Nov \d\d:\d\d:00\.123$/);
    expect(fullTime(time)).toContain('2026-11-22 08:00:00.123 UTC');
  });

  test('is downloaded with the line', () => {
    const line = { from: 'backend', text: 'listens' };
    expect(downloadedLine({ ...line, time }, { backend: 'Backend' })).toBe(`${time} [backend] listens`);
    expect(downloadedLine(line)).toBe('listens');
  });

  test.each([
    ['GET /api/health 200 1 ms', true],
    ['127.0.0.1 - - "HEAD /healthz HTTP/1.1" 200', true],
    ['GET /api/persons 200', false],
    ['health of the nation', false],
  ])('%s: a health check is %s', (text, is) => {
    expect(isHealthCheck({ from: '', text })).toBe(is);
  });
});

describe('messages of errors', () => {
  const refusal = (path: string, message: string, code = 'validation_error') =>
    new ApiError({ status: 400, code, message: `${path}: ${message}`, issues: [{ path, message }] });

  test.each([
    ['header_row', 'must be 1 or more', 'Header row: must be 1 or more'],
    ['custom_env.SMTP_HOST', 'must not be empty', 'SMTP_HOST: must not be empty'],
    [
      'mappings.3.target',
      '"Mail" and "E-mail" both go to e-mail address',
      '"Mail" and "E-mail" both go to e-mail address',
    ],
    ['tags.0', 'must not be empty', 'Must not be empty'],
    ['', 'must be an object', 'Must be an object'],
  ])('%s', (path, message, words) => {
    expect(refusal(path, message).words).toBe(words);
  });

  test('next to its field a rule is a sentence; an address is unchanged', () => {
    expect(refusal('name', 'must be given').fields).toEqual({ name: 'Must be given' });
    expect(refusal('site', 'example.org is taken').fields).toEqual({ site: 'example.org is taken' });
  });

  test('other errors are unchanged', () => {
    expect(refusal('mappings', 'No column is chosen', 'mapping_incomplete').words).toBe(
      'mappings: No column is chosen',
    );
  });
});

describe('levels of log lines', () => {
  const levelOf = (text: string) => withLevels([{ from: '', text }], new Map())[0]?.level;
  test.each([
    'ERROR could not send',
    'TypeError: x is not a function',
    'Error [ERR_STREAM]: closed',
    '2026/11/23 10:00:00 [crit] 12#12: disk full',
    '{"level":50,"msg":"x"}',
    '{"level": "error"}',
    'Unhandled rejection',
    'GET /x HTTP/1.1" 502 157',
    'npm error: missing script',
  ])('error: %s', (text) => expect(levelOf(text)).toBe('error'));
  test.each(['WARN deprecated', '[warn] low space', '(node:1) Warning: old', '{"level":40}'])('warning: %s', (text) =>
    expect(levelOf(text)).toBe('warning'),
  );
  test.each([
    '0 errors',
    'sent to error@example.org',
    '{"level":30,"errors":0}',
    'GET /error HTTP/1.1" 200 500',
    'no WARNINGS_SEEN',
  ])('neither: %s', (text) => expect(levelOf(text)).toBeUndefined());

  test('a stack trace has the level of its first line, of the same writer', () => {
    const lines = [
      { from: 'backend', text: 'TypeError: x' },
      { from: 'frontend', text: '    indented' },
      { from: 'backend', text: '    at save (a.js:1)' },
      { from: 'backend', text: 'started' },
      { from: 'backend', text: '  more' },
    ];
    expect(withLevels(lines, new Map()).map(({ level }) => level)).toEqual([
      'error',
      undefined,
      'error',
      undefined,
      undefined,
    ]);
  });
});

describe('the moment of a wall-clock time', () => {
  test.each([
    ['2026-07-01T12:00', 'America/Chicago', '2026-07-01T17:00:00.000Z'],
    ['2026-12-01T12:00', 'America/Chicago', '2026-12-01T18:00:00.000Z'],
    ['2026-11-01T23:59:59', 'America/Chicago', '2026-11-02T05:59:59.000Z'], // After the end of summer time, that day.
    ['2026-03-08T01:30', 'America/Chicago', '2026-03-08T07:30:00.000Z'],
    ['2026-03-08T03:30', 'America/Chicago', '2026-03-08T08:30:00.000Z'],
    ['2026-07-01T00:15', 'Asia/Kolkata', '2026-06-30T18:45:00.000Z'],
    ['2026-07-01T00:15', 'UTC', '2026-07-01T00:15:00.000Z'],
  ])('%s in %s', (local, zone, moment) => expect(momentOf(local, zone)?.toISOString()).toBe(moment));

  test('is none for anything else', () => {
    for (const text of ['', 'soon', '2026-13-01T00:00']) expect(momentOf(text)).toBeUndefined();
  });
});
