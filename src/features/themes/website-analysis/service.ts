import { access } from 'node:fs/promises';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import type { PictureFormat } from '../../../adapters/images/image.ts';
import { AppError, invalid, messageOf, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { type AssetFiles, formatOfFile } from '../editor/asset-files.ts';
import type { Analysis } from './analysis.ts';
import type { AnalysisDeps } from './operation.ts';
import { analysisKind } from './operation.ts';
import type { Screenshots } from './screenshots.ts';
import type { Suggestion } from './store.ts';

/** Analyses of websites, and the themes they suggest. */
export interface AnalysisService {
  /**
   * Begins to look at a website.
   * @throws AppError not_found, validation_error where the address itself shows that it is refused, operation_in_progress
   */
  begin(tenantId: string, asked: { websiteUrl: string; captureScreenshot: boolean }, actor: Actor): Promise<Analysis>;
  list(tenantId: string, paging: Paging): Promise<Page<Analysis>>;
  /** One analysis, the latest unless said, and its suggestions in order. @throws AppError not_found */
  suggestions(tenantId: string, analysisId?: string): Promise<{ analysis: Analysis; suggestions: Suggestion[] }>;
  /** A suggestion and the website it was made for. @throws AppError not_found */
  suggestion(tenantId: string, suggestionId: string): Promise<{ suggestion: Suggestion; websiteUrl: string }>;
  /** The file of an analysis' screenshot. @throws AppError not_found */
  screenshotFile(tenantId: string, analysisId: string): Promise<string>;
  /** A logo that an analysis found. @throws AppError not_found */
  logo(tenantId: string, analysisId: string, file: string): Promise<{ content: Buffer; format: PictureFormat }>;
}

export function createAnalysisService(
  { rows, engine, tenants, checkAddress, writeAuditLog }: AnalysisDeps,
  screenshots: Screenshots,
  logos: AssetFiles,
): AnalysisService {
  async function get(tenantId: string, id: string): Promise<Analysis> {
    await tenants.get(tenantId);
    const analysis = await rows.find(id);
    if (analysis?.tenantId !== tenantId) throw notFound('theme analysis', id);
    return analysis;
  }

  function addressOf(text: string): string {
    try {
      return checkAddress(text);
    } catch (error) {
      throw invalid('website_url', messageOf(error));
    }
  }

  return {
    async begin(tenantId, { websiteUrl, captureScreenshot }, actor) {
      const tenant = await tenants.get(tenantId);
      const input = { tenantId, websiteUrl: addressOf(websiteUrl), captureScreenshot };
      const { id } = await engine.submit(analysisKind, tenantId, input);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${actor.username} had a website analysed for the theme of ${tenant.slug}`,
        tenant: { id: tenant.id, slug: tenant.slug },
        details: { user_id: actor.userId, username: actor.username, analysis_id: id, website_url: input.websiteUrl },
      });
      return get(tenantId, id);
    },

    async list(tenantId, paging) {
      await tenants.get(tenantId);
      return rows.list(tenantId, paging);
    },

    async suggestions(tenantId, analysisId) {
      await tenants.get(tenantId);
      const analysis = analysisId === undefined ? await rows.latest(tenantId) : await get(tenantId, analysisId);
      if (!analysis) throw new AppError('not_found', 'No website has been analysed for this tenant yet');
      return { analysis, suggestions: await rows.suggestions(analysis.id) };
    },

    async suggestion(tenantId, suggestionId) {
      await tenants.get(tenantId);
      const suggestion = await rows.suggestion(suggestionId);
      const analysis = suggestion && (await rows.find(suggestion.analysisId));
      if (!suggestion || analysis?.tenantId !== tenantId) throw notFound('theme suggestion', suggestionId);
      return { suggestion, websiteUrl: analysis.websiteUrl };
    },

    async screenshotFile(tenantId, analysisId) {
      const { hasScreenshot } = await get(tenantId, analysisId);
      const path = screenshots.path(analysisId);
      const there =
        hasScreenshot &&
        (await access(path).then(
          () => true,
          () => false,
        ));
      if (!there) throw new AppError('not_found', 'This analysis has no screenshot');
      return path;
    },

    async logo(tenantId, analysisId, file) {
      const { found } = await get(tenantId, analysisId);
      const format = found?.logos.some((one) => one.file === file) ? formatOfFile(file) : undefined;
      const content = format && (await logos.read(analysisId, file));
      if (!format || !content) throw new AppError('not_found', `The analysis has no logo ${file}`);
      return { content, format };
    },
  };
}
