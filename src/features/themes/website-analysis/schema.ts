import { z } from 'zod';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import { listOf } from '../../../lib/http/routing/paging.ts';
import { scaleSteps } from '../editor/palette.ts';
import { type Analysis, analysisStatuses } from './analysis.ts';
import type { Suggestion } from './store.ts';

const colour = z.string().regex(/^#[0-9A-F]{6}$/, 'must have the form #RRGGBB');

export const analyzeBody = z.strictObject({
  website_url: z.string().trim().min(1, 'must not be empty').max(2_000),
  capture_screenshot: z.boolean().default(false),
});

export const analyzeAnswer = z.object({
  analysis_id: z.string(),
  status: z.enum(analysisStatuses),
  message: z.string(),
});

export const applyBody = z.strictObject({ suggestion_id: z.string().min(1, 'must not be empty').max(64) });

const suggestion = z
  .object({
    id: z.string(),
    suggestion_number: z.int(),
    name: z.string(),
    description: z.string(),
    primary_color: colour,
    secondary_color: colour,
    accent_color: colour,
    text_color: colour.meta({ description: 'Readable on white: contrast of at least 4.5:1' }),
    palette_json: z
      .object(Object.fromEntries(scaleSteps.map((step) => [String(step), colour])))
      .meta({ description: 'Tints and shades of the primary colour, each step darker than the one before' }),
    reasoning: z.string(),
  })
  .meta({ id: 'ThemeSuggestion' });

const analysisFields = {
  analysis_id: z.string(),
  status: z.enum(analysisStatuses),
  website_url: z.string(),
  current_step: z.string().nullable().meta({ description: 'While it is `processing`; null while it is queued' }),
  screenshot: z.string().nullable().meta({ description: 'Path of the captured screenshot' }),
  error: z.string().nullable().meta({ description: 'Why it failed' }),
  warnings: z.array(z.string()).meta({ description: 'Parts that could not be read' }),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
};
const analysis = z.object(analysisFields).meta({ id: 'WebsiteAnalysis' });

const foundPage = z
  .object({
    title: z.string().nullable(),
    site_name: z.string().nullable(),
    fonts: z.array(z.string()),
    background_color: colour,
    text_color: colour,
    colors: z
      .array(
        z.object({
          hex: colour,
          share: z.number().meta({ description: 'Its share of all evidence for colours, 0 to 1' }),
          from: z.array(z.string()).meta({ description: 'The evidence for it: `header background`' }),
        }),
      )
      .meta({ description: 'Likely brand colours, best first' }),
    logos: z
      .array(
        z.object({
          kind: z.enum(['logo', 'icon']),
          path: z.string().meta({ description: 'Path of the picture' }),
          width: z.number(),
          height: z.number(),
        }),
      )
      .meta({ description: 'Best first; kept as long as the screenshot' }),
  })
  .meta({ id: 'FoundPage' });

export const suggestionsAnswer = z
  .object({
    ...analysisFields,
    found: foundPage.nullable().meta({ description: 'What the website shows; null before it was read' }),
    suggestions: z.array(suggestion),
  })
  .meta({ id: 'ThemeSuggestions' });

export const analysisList = listOf('analyses', analysis).meta({ id: 'WebsiteAnalysisList' });

const pathOf = ({ tenantId, id }: Analysis): string => `/api/tenants/${tenantId}/theme/analyses/${id}`;

export const shownAnalysis = (one: Analysis) => ({
  analysis_id: one.id,
  status: one.status,
  website_url: one.websiteUrl,
  current_step: one.currentStep,
  screenshot: one.screenshot && `${pathOf(one)}/screenshot`,
  error: one.error,
  warnings: one.warnings,
  created_at: toTimestamp(one.createdAt),
  finished_at: toTimestampOrNull(one.finishedAt),
});

/** What was found on the page, on the wire. */
export function shownFound(analysis: Analysis) {
  if (!analysis.found) return null;
  const { title, siteName, fonts, colours, logos } = analysis.found;
  return {
    title,
    site_name: siteName,
    fonts,
    background_color: colours.ground,
    text_color: colours.text,
    colors: colours.brand,
    logos: logos.map(({ file, ...logo }) => ({ ...logo, path: `${pathOf(analysis)}/logos/${file}` })),
  };
}

export const shownSuggestion = ({ analysisId: _, ...shown }: Suggestion) => shown;
