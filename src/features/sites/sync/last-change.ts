import type { SiteOwner } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';

interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

/** What came of the last change at the proxy. */
export interface LastChange {
  at: Date;
  tenant: SiteOwner;
  outcome: 'changed' | 'unchanged' | 'failed';
  /** What was said meanwhile, the proxy's own test among it; at last, why it failed. */
  output: string;
}

/** Remembers the last change at the proxy, of this run of the manager. */
export interface ChangeNote {
  last(): LastChange | undefined;
  /** Makes a change that says what it does to `work.log`, and notes what came of it. */
  noting<T extends { changed: boolean }>(tenant: SiteOwner, work: Work, change: (work: Work) => Promise<T>): Promise<T>;
}

/** A proxy that refuses a thousand sites names each. */
const mostCharacters = 16_000;

export function createChangeNote(clock: Clock): ChangeNote {
  let last: LastChange | undefined;
  return {
    last: () => last,
    async noting(tenant, work, change) {
      const lines: string[] = [];
      const note = (outcome: LastChange['outcome']): void => {
        last = { at: clock.now(), tenant, outcome, output: lines.join('\n').slice(-mostCharacters) };
      };
      try {
        const answer = await change({
          signal: work.signal,
          log(line) {
            lines.push(line);
            work.log(line);
          },
        });
        note(answer.changed ? 'changed' : 'unchanged');
        return answer;
      } catch (error) {
        lines.push(messageOf(error));
        note('failed');
        throw error;
      }
    },
  };
}
