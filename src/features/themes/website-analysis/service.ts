import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import type { PictureFormat } from '../../../adapters/images/image.ts';
import { AppError, invalid, messageOf, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { type AssetFiles, formatOfFile } from '../editor/asset-files.ts';
import type { Analysis, AnalysisInput } from './analysis.ts';
import type { AnalysisDeps } from './operation.ts';
import { analysisKind } from './operation.ts';
import type { Suggestion } from './store.ts';

/** Analyses of websites, and the themes they suggest. @throws (each function) AppError not_found */
export function createAnalysisService(
  { rows, engine, tenants, checkAddress, writeAuditLog }: AnalysisDeps,
  pictures: AssetFiles,
) {
  async function get(tenantId: string, id: string): Promise<Analysis> {
    await tenants.get(tenantId);
    const analysis = await rows.find(id);
    if (analysis?.tenantId !== tenantId) throw notFound('theme analysis', id);
    return analysis;
  }

  return {
    /**
     * Begins to look at a website; the id of the analysis.
     * @throws AppError validation_error where the address itself shows that it is refused, operation_in_progress
     */
    async begin({ tenantId, ...asked }: AnalysisInput, actor: Actor): Promise<{ id: string; websiteUrl: string }> {
      const { slug } = await tenants.get(tenantId);
      let websiteUrl: string;
      try {
        websiteUrl = checkAddress(asked.websiteUrl);
      } catch (error) {
        throw invalid('website_url', messageOf(error));
      }
      const { id } = await engine.submit(analysisKind, tenantId, { ...asked, tenantId, websiteUrl });
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${actor.username} had a website analysed for the theme of ${slug}`,
        tenant: { id: tenantId, slug },
        details: { user_id: actor.userId, username: actor.username, analysis_id: id, website_url: websiteUrl },
      });
      return { id, websiteUrl };
    },

    async list(tenantId: string, paging: Paging): Promise<Page<Analysis>> {
      await tenants.get(tenantId);
      return rows.list(tenantId, paging);
    },

    /** One analysis, the latest unless said, and its suggestions in order. */
    async suggestions(tenantId: string, id?: string): Promise<{ analysis: Analysis; suggestions: Suggestion[] }> {
      await tenants.get(tenantId);
      const analysis = id === undefined ? await rows.latest(tenantId) : await get(tenantId, id);
      if (!analysis) throw new AppError('not_found', 'No website has been analysed for this tenant yet');
      return { analysis, suggestions: await rows.suggestions(analysis.id) };
    },

    /** A suggestion and the website it was made for. */
    async suggestion(tenantId: string, id: string): Promise<{ suggestion: Suggestion; websiteUrl: string }> {
      await tenants.get(tenantId);
      const suggestion = await rows.suggestion(id);
      const analysis = suggestion && (await rows.find(suggestion.analysisId));
      if (!suggestion || analysis?.tenantId !== tenantId) throw notFound('theme suggestion', id);
      return { suggestion, websiteUrl: analysis.websiteUrl };
    },

    /** A picture of an analysis, by its file: a logo, or the screenshot. */
    async picture(
      tenantId: string,
      id: string,
      fileOf: (analysis: Analysis) => string | null | undefined,
    ): Promise<{ file: string; content: Buffer; format: PictureFormat }> {
      const file = fileOf(await get(tenantId, id)) ?? '';
      const [format, content] = [formatOfFile(file), await pictures.read(id, file)];
      if (!format || !content) throw new AppError('not_found', 'The analysis has no such picture');
      return { file, content, format };
    },
  };
}
export type AnalysisService = ReturnType<typeof createAnalysisService>;
