import { describe, test } from '@jest/globals';
import { type InsideCase, obstacle, runInside } from './machine-container.ts';

const reason = await obstacle();
// Jest itself does not name what a completely skipped file has left out.
if (reason !== undefined) process.stderr.write(`skipped, tests of the systemd runtime: ${reason}\n`);

// Runs before the tests are defined: each case inside becomes one here, by its name.
const cases: InsideCase[] = reason === undefined ? await runInside() : [];

describe('in a container with systemd as its first process', () => {
  if (reason !== undefined) {
    if (process.env.CI === 'true')
      test('is available', () => {
        throw new Error(`CI needs it: ${reason}`);
      });
    else test.skip(`skipped: ${reason}`, () => undefined);
    return;
  }
  for (const { suite, name, status, message } of cases)
    test(`${suite}: ${name}`, () => {
      if (status !== 'passed') throw new Error(`${status} inside: ${message}`);
    });
  test('all suites were found', () => {
    const suites = new Set(cases.map(({ suite }) => suite));
    if (suites.size !== 4) throw new Error(`Ran inside: ${[...suites].join(', ')}`);
  });
});
