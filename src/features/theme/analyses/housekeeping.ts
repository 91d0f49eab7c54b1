import { messageOf } from '../../../kernel/errors.ts';
import type { AnalysisDependencies } from './dependencies.ts';
import type { Screenshots } from './screenshots.ts';

/** What keeps analyses and their screenshots tidy. */
export interface AnalysisHousekeeping {
  /** Removes screenshots older than the setting says; what the analyses found stays. */
  applyRetention(): Promise<void>;
  /** Removes screenshots whose analysis is gone, and what was cut off while it was written. */
  removeOrphans(): Promise<void>;
}

const day = 86_400_000;
const batchSize = 200;

export function createAnalysisHousekeeping(deps: AnalysisDependencies, screenshots: Screenshots): AnalysisHousekeeping {
  const { rows, clock, settings, events, logger } = deps;

  async function removeOrphans(): Promise<void> {
    await screenshots.removeCutOff();
    const ids = await screenshots.ids();
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = ids.slice(start, start + batchSize);
      const known = await rows.recorded(some);
      for (const id of some) if (!known.has(id)) await screenshots.remove(id);
    }
  }
  events.on('tenant_status', ({ status }) => {
    if (status !== 'deleted') return;
    removeOrphans().catch((error: unknown) =>
      logger.warn({ message: messageOf(error) }, 'screenshots of a deleted tenant are still there'),
    );
  });

  return {
    async applyRetention() {
      const before = new Date(clock.now().getTime() - (await settings.screenshotRetentionDays()) * day);
      for (;;) {
        const some = await rows.withOldScreenshot(before, batchSize);
        for (const id of some) await screenshots.remove(id);
        if (some.length > 0) await rows.screenshotRemoved(some, clock.now());
        if (some.length < batchSize) return;
      }
    },
    removeOrphans,
  };
}
