import { join } from 'node:path';
import { createAssistant } from '../../adapters/assistant/assistant.ts';
import type { Screenshots } from '../../adapters/browser/screenshots.ts';
import type { Store } from '../../adapters/store/store.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import type { Settings } from '../../features/settings/settings.ts';
import { createAnalyses } from '../../features/themes/website-analysis/analyses.ts';
import type { AnalysisDeps } from '../../features/themes/website-analysis/operation.ts';
import { createAnalysisStore } from '../../features/themes/website-analysis/store.ts';
import { createThemeSuggestions } from '../../features/themes/website-analysis/suggestions/suggest.ts';
import { OperationEngine } from '../../lib/operations/engine.ts';
import { addressRule, webAddress } from '../../lib/outbound-http/address.ts';
import { createConnect } from '../../lib/outbound-http/connect.ts';
import { assistantAddress } from '../config/assistant-settings.ts';
import type { Config } from '../config/config.ts';
import { removeOrphanedStreamFiles } from '../lifecycle/orphaned-stream-files.ts';
import { operationMessages } from '../realtime/operation-messages.ts';

/** Each reads up to 12 MB and may start a browser. */
const concurrency = 2;
/** Reading a page and its style sheets, a picture that waits for another's, each with time limits of its own. */
const stepSeconds = 150;

/** Websites that themes are derived from, with an engine of its own: an analysis is no operation on the tenant. */
export function composeWebsiteAnalyses({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  tenants,
  themeEditor,
  settings,
  config,
}: Pick<AnalysisDeps, 'clock' | 'logger' | 'events' | 'writeAuditLog' | 'tenants' | 'themeEditor'> & {
  store: Store;
  settings: Pick<Settings, 'read'>;
  config: Config;
}) {
  const directory = join(config.DATA_DIR, 'websites');
  const rows = createAnalysisStore(store);
  const engine = new OperationEngine({
    journal: rows,
    messages: operationMessages,
    isTransient: isStoreUnavailable,
    directory: join(directory, 'operations'),
    clock,
    logger,
    concurrency: async () => concurrency,
    // At most two requests, within one time limit.
    stepTimeoutMs: async () => (stepSeconds + (await settings.read('ai_provider_timeout'))) * 1000,
  });
  const rule = addressRule({ allowPrivate: config.ALLOW_PRIVATE_WEBSITES });
  const connect = createConnect({ rule });
  /** Loaded when it is first needed: what reads HTML and CSS is large. */
  const reader = async () => {
    const { createWebsites } = await import('../../adapters/website/read-website.ts');
    return createWebsites({ rule, connect });
  };
  let screenshots: Screenshots | undefined;
  const analyses = createAnalyses({
    clock,
    logger,
    events,
    writeAuditLog,
    tenants,
    themeEditor,
    rows,
    engine,
    checkAddress: (address) => webAddress(address, rule).href,
    websites: {
      read: async (address, options) => (await reader()).read(address, options),
      picture: async (address, options) => (await reader()).picture(address, options),
    },
    async screenshot(address, options) {
      const { createScreenshots } = await import('../../adapters/browser/screenshots.ts');
      screenshots ??= createScreenshots({ connect, chromiumPath: config.CHROMIUM_PATH });
      const { png, sandboxed } = await screenshots.capture(webAddress(address, rule), options);
      if (!sandboxed) logger.warn({ website: address }, 'Chromium ran without a sandbox: this kernel gives it none');
      return png;
    },
    suggest: createThemeSuggestions({
      assistant: createAssistant(assistantAddress(settings)),
      showPictures: () => settings.read('ai_sees_pictures'),
    }),
    settings: {
      screenshotRetentionDays: () => settings.read('screenshot_retention_days'),
      prices: async () => ({
        input: await settings.read('ai_input_price'),
        output: await settings.read('ai_output_price'),
      }),
    },
    directory: join(directory, 'pictures'),
  });
  return {
    ...analyses,
    engine,
    /** Removes what is kept no longer. */
    async tidy(): Promise<void> {
      await analyses.applyRetention();
      await analyses.removeOrphans();
      await removeOrphanedStreamFiles(join(directory, 'operations'), rows.open);
    },
  };
}
