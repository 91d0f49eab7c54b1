import { every } from '../../../../../lib/concurrency/poll.ts';
import type { Logger } from '../../../../../lib/logger.ts';
import { showServices, systemctlIfAny } from '../systemctl/systemctl.ts';

/**
 * systemd counts a unit's restarts until they are reset, so a unit that fails once a day would be given up some day. Resets
 * those of units that run steadily. @returns stops the watch
 */
export function watchSteady(options: {
  names(): Promise<string[]>;
  everyMs: number;
  /** After a run of this length its next delay is the first one again, and its failures are reset. */
  steadyMs: number;
  logger: Logger;
}): () => void {
  async function check(): Promise<void> {
    const states = await showServices(await options.names());
    const steady = states.filter(
      ({ activeState, restarts, startedAt }) =>
        activeState === 'active' &&
        restarts > 0 &&
        startedAt !== null &&
        Date.now() - startedAt.getTime() >= options.steadyMs,
    );
    if (steady.length > 0) await systemctlIfAny('reset-failed', '--', ...steady.map(({ name }) => name));
  }
  const stop = new AbortController();
  void (async () => {
    for await (const _ of every(options.everyMs, stop.signal))
      await check().catch((error: unknown) =>
        options.logger.warn({ err: error }, 'systemd did not report how the units run'),
      );
  })();
  return () => stop.abort();
}
