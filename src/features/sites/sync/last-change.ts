import type { SiteOwner } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { messageOf } from '../../../lib/errors.ts';

/** The result of the last change at the proxy. */
export interface LastChange {
  at: Date;
  tenant: SiteOwner;
  outcome: 'changed' | 'unchanged' | 'failed';
  /** The log of the change with the proxy's own test, and the error if it failed. */
  output: string;
}

/** A proxy that rejects a thousand sites names each. */
const maxCharacters = 16_000;

/** The last change at the proxy since the manager started. */
export function createChangeNote(clock: Clock) {
  let last: LastChange | undefined;
  return {
    last: () => last,
    /** Makes a change and records its log and result. */
    async noting<T extends { changed: boolean }>(tenant: SiteOwner, work: Work, change: (work: Work) => Promise<T>) {
      const lines: string[] = [];
      const note = (outcome: LastChange['outcome']): void => {
        last = { at: clock.now(), tenant, outcome, output: lines.join('\n').slice(-maxCharacters) };
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

export type ChangeNote = ReturnType<typeof createChangeNote>;
