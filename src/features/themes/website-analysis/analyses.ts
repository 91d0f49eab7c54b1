import type { Route } from '../../../lib/http/routing/route.ts';
import { createAssetFiles } from '../editor/asset-files.ts';
import { type AnalysisHousekeeping, createAnalysisHousekeeping } from './housekeeping.ts';
import type { AnalysisDeps } from './operation.ts';
import { analysisOperation } from './operation.ts';
import { analysisRoutes } from './routes.ts';
import { createScreenshots } from './screenshots.ts';
import { createAnalysisService } from './service.ts';

/** Analyses of websites for tenants' themes. */
export interface Analyses extends AnalysisHousekeeping {
  routes: Route[];
}

export function createAnalyses(deps: AnalysisDeps): Analyses {
  const screenshots = createScreenshots(deps.directory);
  const logos = createAssetFiles(deps.logoDirectory);
  deps.engine.register(analysisOperation(deps, screenshots, logos));
  return {
    ...createAnalysisHousekeeping(deps, screenshots, logos),
    routes: analysisRoutes(createAnalysisService(deps, screenshots, logos), deps.themeEditor),
  };
}
