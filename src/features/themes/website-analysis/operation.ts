import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../../adapters/events/bus.ts';
import type { Websites } from '../../../adapters/website/website.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { OperationDefinition } from '../../../lib/operations/operation.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { AssetFiles } from '../editor/asset-files.ts';
import type { ThemeEditor } from '../theme-editor.ts';
import { type AnalysisInput, type AnalysisState, analysisInput, analysisState } from './analysis.ts';
import type { AnalysisStore } from './store.ts';
import type { SeenPage } from './suggestions/by-assistant.ts';
import { readColours } from './suggestions/read-colours.ts';
import type { SuggestedThemes } from './suggestions/suggest.ts';

/** What website analyses need from other features. */
export interface AnalysisDeps {
  rows: AnalysisStore;
  /** Runs analyses, concurrently with a tenant's other operations. */
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  events: EventBus;
  logger: Logger;
  tenants: Pick<Tenants, 'get' | 'find'>;
  themeEditor: Pick<ThemeEditor, 'change'>;
  /** The normalized address, without a request. @throws OutboundError where the address itself shows that it is forbidden */
  checkAddress(address: string): string;
  websites: Websites;
  /** A picture (PNG) of a page as a browser shows it. @throws with a sentence for the user where it can't be had */
  screenshot(address: string, options: { signal: AbortSignal }): Promise<Buffer>;
  suggest(page: SeenPage, signal: AbortSignal): Promise<SuggestedThemes>;
  settings: {
    /** Days that screenshots are kept. */
    screenshotRetentionDays(): Promise<number>;
    /** US dollars a million tokens; 0: not known. */
    prices(): Promise<{ input: number; output: number }>;
  };
  /** Where screenshots and the logos that were found are kept (absolute). */
  directory: string;
}

export const analysisKind = 'theme analysis';

/** Reads a website, takes its picture where that was asked for, and suggests themes. */
export function analysisOperation(
  { rows, websites, screenshot, suggest, writeAuditLog, tenants, settings }: AnalysisDeps,
  pictures: AssetFiles,
): OperationDefinition<AnalysisInput, AnalysisState> {
  const removePictures = (analysisId: string): Promise<void> => pictures.keepOnly(analysisId, new Set());
  return {
    kind: analysisKind,
    steps: [
      {
        name: 'Read website',
        skip: ({ state }) => (state.page ? 'read already' : undefined),
        async run({ input, operationId, save, signal }) {
          const website = await websites.read(input.websiteUrl, { signal });
          const { title, siteName, description, fonts } = website;
          const omitted = website.omitted.slice(0, 20);
          const colours = await readColours(website, { signal, omit: (why) => omitted.push(why) });
          const { keepLogos } = await import('./keep-logos.ts');
          const logos = await keepLogos(website, { analysisId: operationId, websites, pictures, signal });
          await save({ page: { title, siteName, description, fonts: fonts.slice(0, 10), colours, logos }, omitted });
          return undefined;
        },
        undo: ({ operationId }) => removePictures(operationId),
      },
      {
        name: 'Take screenshot',
        skip: ({ input }) => (input.captureScreenshot ? undefined : 'not asked for'),
        async run({ input, operationId, save, signal }) {
          try {
            const content = await screenshot(input.websiteUrl, { signal });
            const file = await pictures.put(operationId, { content, format: 'png' });
            await save({ screenshot: { file, problem: null } });
            return undefined;
          } catch (error) {
            signal.throwIfAborted();
            const problem = `The screenshot failed: ${messageOf(error)}`;
            await save({ screenshot: { file: null, problem } });
            return { skipped: problem };
          }
        },
        undo: ({ operationId }) => removePictures(operationId),
      },
      {
        name: 'Suggest themes',
        async run({ operationId, state, save, signal }) {
          if (!state.page) throw new Error('The page was not read');
          const { colours, logos: _, ...site } = state.page;
          const file = state.screenshot?.file;
          const picture = file ? await pictures.read(operationId, file) : undefined;
          const { drafts, ...by } = await suggest({ site, colours, screenshot: picture }, signal);
          signal.throwIfAborted();
          await rows.suggest(
            operationId,
            drafts.map(({ colours: chosen, palette, ...draft }, at) => ({
              id: newId(),
              analysisId: operationId,
              suggestion_number: at + 1,
              primary_color: chosen.primary,
              secondary_color: chosen.secondary,
              accent_color: chosen.accent,
              text_color: chosen.text,
              palette_json: palette,
              ...draft,
            })),
          );
          await save({ suggested: { count: drafts.length, ...by } });
          return undefined;
        },
      },
    ],
    parseInput: (value) => analysisInput.parse(value),
    parseState: (value) => analysisState.parse(value),

    async settle({ operationId, input, state: { suggested } }, { outcome, error }) {
      const tenant = await tenants.find(input.tenantId);
      // It goes with its tenant, and its pictures with it.
      if (!tenant) return removePictures(operationId);
      const succeeded = outcome === 'success';
      await writeAuditLog({
        level: succeeded && !suggested?.failure ? 'info' : 'warning',
        category: 'api',
        message: succeeded
          ? `${suggested?.count ?? 0} themes suggested for ${tenant.slug} from a website`
          : `The analysis of a website for ${tenant.slug} failed: ${error?.message ?? outcome}`,
        tenant: { id: tenant.id, slug: tenant.slug },
        details: {
          analysis_id: operationId,
          website_url: input.websiteUrl,
          ...(suggested ? { by_ai: suggested.byAssistant, ...consumed(suggested.usage, await settings.prices()) } : {}),
          ...(suggested?.failure ? { ai_error: suggested.failure } : {}),
        },
      });
    },
  };
}

/** What the AI provider was asked for, in tokens and, where prices are set, in US dollars. */
function consumed(
  usage: NonNullable<AnalysisState['suggested']>['usage'],
  { input, output }: { input: number; output: number },
): Record<string, unknown> {
  if (usage.length === 0) return {};
  const inputTokens = usage.reduce((sum, one) => sum + one.inputTokens, 0);
  const outputTokens = usage.reduce((sum, one) => sum + one.outputTokens, 0);
  const cost = (inputTokens * input + outputTokens * output) / 1e6;
  return {
    ai_model: usage[0]?.model,
    ai_questions: usage.length,
    ai_input_tokens: inputTokens,
    ai_output_tokens: outputTokens,
    ...(input > 0 || output > 0 ? { ai_cost_usd: Number(cost.toFixed(6)) } : {}),
  };
}
