import { z } from 'zod';
import { currentStep, type OperationRecord } from '../../../lib/operations/operation.ts';
import type { PageColours } from './suggestions/brand-colours.ts';

export const analysisStatuses = ['processing', 'complete', 'failed'] as const;

/** The analysis of one website, for one tenant's theme. */
export interface Analysis {
  id: string;
  tenantId: string;
  websiteUrl: string;
  status: (typeof analysisStatuses)[number];
  /** Why it failed, a sentence for the user. */
  error: string | null;
  /** What is missing from the result, in sentences for the user. */
  warnings: string[];
  /** The step under way; null while it waits for others, and once it has ended. */
  currentStep: string | null;
  /** What was found on the page; null before it was read. */
  found: FoundPage | null;
  /** Whether a screenshot is kept. */
  hasScreenshot: boolean;
  createdAt: Date;
  finishedAt: Date | null;
}

/** What a page shows. All text is the website's own. */
interface FoundPage {
  title: string | null;
  siteName: string | null;
  fonts: string[];
  colours: PageColours;
  /** Best first; none after their retention time. */
  logos: FoundLogo[];
}

export const analysisInput = z.object({ tenantId: z.string(), websiteUrl: z.string(), captureScreenshot: z.boolean() });
export type AnalysisInput = z.output<typeof analysisInput>;

const foundLogo = z.object({
  kind: z.enum(['logo', 'icon']),
  /** Its name in the directory of the analysis. */
  file: z.string(),
  width: z.number(),
  height: z.number(),
});
/** A picture that may be the site's logo; sides in pixels. */
export type FoundLogo = z.output<typeof foundLogo>;

const brandColour = z.object({ hex: z.string(), share: z.number(), from: z.array(z.string()) });
/** What each step found, kept so that a manager that is interrupted need not ask the website again. */
export const analysisState = z.object({
  page: z
    .object({
      title: z.string().nullable(),
      siteName: z.string().nullable(),
      description: z.string().nullable(),
      fonts: z.array(z.string()),
      colours: z.object({ brand: z.array(brandColour), ground: z.string(), text: z.string() }),
      logos: z.array(foundLogo).default([]),
    })
    .nullable()
    .default(null),
  omitted: z.array(z.string()).default([]),
  screenshot: z.object({ taken: z.boolean(), problem: z.string().nullable() }).nullable().default(null),
  suggested: z
    .object({
      count: z.number(),
      byAssistant: z.boolean(),
      failure: z.string().nullable(),
      usage: z.array(z.object({ model: z.string(), inputTokens: z.number(), outputTokens: z.number() })),
    })
    .nullable()
    .default(null),
});
export type AnalysisState = z.output<typeof analysisState>;

/** An analysis as stored. */
export function analysisOf(record: OperationRecord, picturesRemovedAt: Date | null): Analysis {
  const { tenantId, websiteUrl } = analysisInput.parse(record.input);
  const { page, omitted, screenshot, suggested } = analysisState.parse(record.state);
  const status =
    record.status === 'success'
      ? 'complete'
      : record.status === 'queued' || record.status === 'running'
        ? 'processing'
        : 'failed';
  const failure = suggested?.failure ? `${suggested.failure}: built-in rules suggested instead` : null;
  return {
    id: record.id,
    tenantId,
    websiteUrl,
    status,
    error: status === 'failed' ? (record.error?.message ?? 'Cancelled') : null,
    warnings: [...omitted, screenshot?.problem, failure].filter((one) => typeof one === 'string'),
    currentStep: status === 'processing' ? currentStep(record) : null,
    found: page && { ...page, logos: picturesRemovedAt === null && status !== 'failed' ? page.logos : [] },
    hasScreenshot: screenshot?.taken === true && picturesRemovedAt === null,
    createdAt: new Date(record.createdAt),
    finishedAt: record.finishedAt === null ? null : new Date(record.finishedAt),
  };
}
