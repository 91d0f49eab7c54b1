import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { parse } from '../../../../src/lib/http/routing/parse.ts';

const refusal = (schema: z.ZodType, value: unknown) => {
  try {
    parse(schema, value);
  } catch (error) {
    const { code, message, issues } = error as { code: string; message: string; issues: object[] };
    return { code, message, issues };
  }
  throw new Error('It was taken');
};

describe('errors of an invalid request', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, 'must be given'],
    [z.string(), 5, 'must be a text'],
    [z.int(), 2.5, 'must be a whole number'],
    [z.coerce.number(), 'many', 'must be a number'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.array(z.string()), {}, 'must be a list'],
    [z.record(z.string(), z.string()), [], 'must be an object'],
    [z.string().min(1), '', 'must not be empty'],
    [z.array(z.string()).min(1), [], 'must not be empty'],
    [z.string().min(10), 'short', 'must have at least 10 characters'],
    [z.string().max(1), 'ab', 'must have at most 1 character'],
    [z.string().max(2_000), 'x'.repeat(2_001), 'must have at most 2,000 characters'],
    [z.string().length(4), 'abc', 'must have exactly 4 characters'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
    [z.number().min(1), 0, 'must be at least 1'],
    [z.number().max(500), 501, 'must be at most 500'],
    [z.number().gt(0), 0, 'must be more than 0'],
    [z.email(), 'nobody', 'must be an e-mail address'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal('a'), 'b', 'must be a'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5'],
    [z.string('must be our own words'), 1, 'must be our own words'],
  ])('%#: %j', (schema, value, words) => {
    expect(refusal(z.object({ it: schema }), { it: value })).toEqual({
      code: 'validation_error',
      message: `it: ${words}`,
      issues: [{ path: 'it', message: words }],
    });
  });

  test('name each unknown field', () => {
    expect(refusal(z.object({ a: z.strictObject({}) }), { a: { b: 1, c: 2 } }).issues).toEqual([
      { path: 'a.b', message: 'Unknown field' },
      { path: 'a.c', message: 'Unknown field' },
    ]);
  });

  test('use the library’s message if there is none of ours', () => {
    expect(refusal(z.string().regex(/^a$/), 'b').message).toContain('/^a$/');
  });
});
