import { z } from 'zod';
import { pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { appliedMessages } from '../editor/apply.ts';
import { onWire } from '../editor/presentation.ts';
import { pictureAnswer, sendPicture } from '../editor/send-picture.ts';
import { themeChanged, themeQuery } from '../schema.ts';
import type { ThemeEditor } from '../theme-editor.ts';
import {
  analysisList,
  analyzeAnswer,
  analyzeBody,
  applyBody,
  shownAnalysis,
  shownFound,
  shownSuggestion,
  suggestionsAnswer,
} from './schema.ts';
import type { AnalysisService } from './service.ts';

const tag = 'Theme';

export function analysisRoutes(analyses: AnalysisService, themeEditor: Pick<ThemeEditor, 'change'>): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/theme/analyze',
        tag,
        summary: 'Analyse a website for a theme',
        description:
          'Runs in the background, one at a time for each tenant, concurrently with its other operations. Only public http and https addresses are asked ' +
          'for; where the address itself shows that it is refused, the answer is 400, else the analysis ends `failed`. A screenshot ' +
          'that can’t be used is named in `warnings`.',
        access: 'operate',
        body: analyzeBody,
        responses: { 202: { schema: analyzeAnswer } },
        errors: ['not_found', 'operation_in_progress', 'shutting_down'],
      },
      async ({ params, body, principal }) => {
        const { website_url, capture_screenshot: captureScreenshot } = body;
        const asked = { tenantId: params.id, websiteUrl: website_url, captureScreenshot };
        const { id, websiteUrl } = await analyses.begin(asked, principal);
        return { analysis_id: id, status: 'processing' as const, message: `${websiteUrl} is being analysed` };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme/analyses',
        tag,
        summary: 'The websites analysed for a tenant, latest first',
        access: 'view',
        query: pagingQuery(),
        responses: { 200: { schema: analysisList } },
        errors: ['not_found'],
      },
      async ({ params, query }) => {
        const { items, total } = await analyses.list(params.id, query);
        return { analyses: items.map(shownAnalysis), total, limit: query.limit, offset: query.offset };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme/analyses/{analysis_id}/screenshot',
        tag,
        summary: 'The screenshot of an analysed website',
        access: 'view',
        ticket: true,
        responses: { 200: { mediaType: 'image/png', description: 'The picture' } },
        errors: ['not_found'],
      },
      async ({ params, response }) => {
        const picture = await analyses.picture(params.id, params.analysis_id, ({ screenshot }) => screenshot);
        sendPicture(response.attachment('screenshot.png'), picture.file, picture);
        return undefined;
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme/analyses/{analysis_id}/logos/{name}',
        tag,
        summary: 'A logo that was found on an analysed website',
        description: 'Re-encoded like an uploaded logo; its path is in the suggestions’ `found`.',
        access: 'view',
        ticket: true,
        responses: { 200: pictureAnswer },
        errors: ['not_found'],
      },
      async ({ params, response }) => {
        const picture = await analyses.picture(
          params.id,
          params.analysis_id,
          ({ found }) => found?.logos.find(({ file }) => file === params.name)?.file,
        );
        sendPicture(response, picture.file, picture);
        return undefined;
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme/suggestions',
        tag,
        summary: 'The themes that an analysis suggests',
        description: 'At least three when it is `complete`, best first; none before that or if it `failed`.',
        access: 'view',
        query: z.object({ analysis_id: z.string().optional().meta({ description: 'Default: the latest' }) }),
        responses: { 200: { schema: suggestionsAnswer } },
        errors: ['not_found'],
      },
      async ({ params, query }) => {
        const { analysis, suggestions } = await analyses.suggestions(params.id, query.analysis_id);
        return {
          ...shownAnalysis(analysis),
          found: shownFound(analysis),
          suggestions: suggestions.map(shownSuggestion),
        };
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/theme/apply-suggestion',
        tag,
        summary: 'Apply a suggestion as the tenant’s theme',
        description:
          'Sets the five colours (the sidebar takes the palette’s step 950), `source_website`, and `ai_generated`: true ' +
          'for every theme that comes from a suggestion, whose `reasoning` says whether the AI provider or built-in rules made it.',
        access: 'operate',
        query: themeQuery,
        body: applyBody,
        responses: { 200: { schema: themeChanged } },
        errors: ['not_found', 'operation_in_progress', 'not_deployed', 'tenant_error', 'runtime_unavailable'],
      },
      async ({ params, query, body, principal }) => {
        const { suggestion, websiteUrl } = await analyses.suggestion(params.id, body.suggestion_id);
        const colours = {
          primary: suggestion.primary_color,
          secondary: suggestion.secondary_color,
          accent: suggestion.accent_color,
          text: suggestion.text_color,
          sidebar: suggestion.palette_json['950'],
        };
        const { theme, applied } = await themeEditor.change(
          params.id,
          { colours, origin: { aiGenerated: true, sourceWebsite: websiteUrl } },
          { restart: query.restart, actor: principal },
        );
        const { contrastWarnings } = await import('../editor/contrast.ts');
        const warnings = contrastWarnings(theme.fields.colours);
        return { message: appliedMessages[applied], theme: onWire(theme), applied, warnings };
      },
    ),
  ];
}
