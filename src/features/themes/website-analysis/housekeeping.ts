import { messageOf } from '../../../lib/errors.ts';
import type { AssetFiles } from '../editor/asset-files.ts';
import type { AnalysisDeps } from './operation.ts';
import type { Screenshots } from './screenshots.ts';

/** Housekeeping of analyses: removes old ones with their screenshots and logos. */
export interface AnalysisHousekeeping {
  /** Removes pictures older than the setting says; what else the analyses found stays. */
  applyRetention(): Promise<void>;
  /** Removes pictures whose analysis is gone, and what was cut off while it was written. */
  removeOrphans(): Promise<void>;
}

const day = 86_400_000;
const batchSize = 200;

export function createAnalysisHousekeeping(
  deps: AnalysisDeps,
  screenshots: Screenshots,
  logos: AssetFiles,
): AnalysisHousekeeping {
  const { rows, clock, settings, events, logger } = deps;

  async function removePictures(id: string): Promise<void> {
    await screenshots.remove(id);
    await logos.keepOnly(id, new Set());
  }

  async function removeOrphans(): Promise<void> {
    await screenshots.removeCutOff();
    await logos.removeCutOff();
    const ids = [...new Set([...(await screenshots.ids()), ...(await logos.owners())])];
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = ids.slice(start, start + batchSize);
      const known = await rows.recorded(some);
      for (const id of some) if (!known.has(id)) await removePictures(id);
    }
  }
  events.on('tenant_status', ({ status }) => {
    if (status !== 'deleted') return;
    removeOrphans().catch((error: unknown) =>
      logger.warn({ message: messageOf(error) }, 'pictures of analyses of a deleted tenant are still there'),
    );
  });

  return {
    async applyRetention() {
      const before = new Date(clock.now().getTime() - (await settings.screenshotRetentionDays()) * day);
      for (;;) {
        const some = await rows.withOldScreenshot(before, batchSize);
        for (const id of some) await removePictures(id);
        if (some.length > 0) await rows.screenshotRemoved(some, clock.now());
        if (some.length < batchSize) return;
      }
    },
    removeOrphans,
  };
}
