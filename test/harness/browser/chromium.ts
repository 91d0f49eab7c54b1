import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from '@jest/globals';
import { findChromium } from '../../../src/adapters/browser/screenshots.ts';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { patienceMs } from '../patience.ts';

const installed = (await findChromium(undefined)) !== undefined;

/**
 * A block of tests that need a browser. Without one it is a skipped test with the reason; with CI=true it fails
 * instead.
 */
export function describeWithChromium(name: string, define: () => void): void {
  describe(name, () => {
    if (installed || process.env.CI === 'true') define();
    else test.skip('skipped: Chromium is not installed (Debian: apt-get install chromium)', () => undefined);
  });
}

/** Processes of this machine whose command line contains this text. */
export function processesWith(text: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

/** Waits for the last of them to end; returns those that have not. */
export async function processesLeft(text: string): Promise<number[]> {
  const gone = async () => (processesWith(text).length === 0 ? true : undefined);
  await poll(gone, { timeoutMs: patienceMs, intervalMs: 50 });
  return processesWith(text);
}
