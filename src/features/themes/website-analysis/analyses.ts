import { messageOf } from '../../../lib/errors.ts';
import { createAssetFiles } from '../editor/asset-files.ts';
import { type AnalysisDeps, analysisOperation } from './operation.ts';
import { analysisRoutes } from './routes.ts';
import { createAnalysisService } from './service.ts';

const day = 86_400_000;
const batchSize = 200;

/** Analyses of websites for tenants' themes: their routes, and the removal of their screenshots and logos. */
export function createAnalyses(deps: AnalysisDeps) {
  const { rows, clock, settings, events, logger, engine, themeEditor } = deps;
  const pictures = createAssetFiles(deps.directory);
  engine.register(analysisOperation(deps, pictures));

  async function removePictures(ids: readonly string[]): Promise<void> {
    for (const id of ids) await pictures.keepOnly(id, new Set());
  }

  async function removeOrphans(): Promise<void> {
    await pictures.removeCutOff();
    const ids = await pictures.owners();
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = ids.slice(start, start + batchSize);
      const known = await rows.recorded(some);
      await removePictures(some.filter((id) => !known.has(id)));
    }
  }
  events.on('tenant_status', ({ status }) => {
    if (status !== 'deleted') return;
    removeOrphans().catch((error: unknown) =>
      logger.warn({ message: messageOf(error) }, 'pictures of analyses of a deleted tenant are still there'),
    );
  });

  return {
    routes: analysisRoutes(createAnalysisService(deps, pictures), themeEditor),
    /** Removes pictures older than the setting says; what else the analyses found stays. */
    async applyRetention(): Promise<void> {
      const before = new Date(clock.now().getTime() - (await settings.screenshotRetentionDays()) * day);
      for (let more = true; more; ) {
        const some = await rows.withOldPictures(before, batchSize);
        await removePictures(some);
        await rows.picturesRemoved(some, clock.now());
        more = some.length === batchSize;
      }
    },
    /** Removes pictures whose analysis is gone, and what was cut off while it was written. */
    removeOrphans,
  };
}
