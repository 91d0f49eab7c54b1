import { z } from 'zod';
import { currentStep, type OperationRecord } from '../../../lib/operations/operation.ts';

export const analysisStatuses = ['processing', 'complete', 'failed'] as const;

export const analysisInput = z.object({ tenantId: z.string(), websiteUrl: z.string(), captureScreenshot: z.boolean() });
export type AnalysisInput = z.output<typeof analysisInput>;

/** What each step found, kept so that a manager that is interrupted need not ask the website again. */
export const analysisState = z.object({
  /** What the page shows. All text is the website's own. */
  page: z
    .object({
      title: z.string().nullable(),
      siteName: z.string().nullable(),
      description: z.string().nullable(),
      fonts: z.array(z.string()),
      colours: z.object({
        /**
         * Those that may be the brand's, best first: each with its part of all that speaks for any colour (0 to 1), and what
         * speaks for it, most first. Empty where the page has no colours but greys.
         */
        brand: z.array(z.object({ hex: z.string(), share: z.number(), from: z.array(z.string()) })),
        /** What the page is written on and in. */
        ground: z.string(),
        text: z.string(),
      }),
      /** Pictures that may be the site's logo, best first; sides in pixels. */
      logos: z
        .array(z.object({ kind: z.enum(['logo', 'icon']), file: z.string(), width: z.number(), height: z.number() }))
        .default([]),
    })
    .nullable()
    .default(null),
  omitted: z.array(z.string()).default([]),
  /** Its file, or why there is none. */
  screenshot: z.object({ file: z.string().nullable().default(null), problem: z.string().nullable() }).nullish(),
  suggested: z
    .object({
      count: z.number(),
      byAssistant: z.boolean(),
      failure: z.string().nullable(),
      usage: z.array(z.object({ model: z.string(), inputTokens: z.number(), outputTokens: z.number() })),
    })
    .nullish(),
});
export type AnalysisState = z.output<typeof analysisState>;
type FoundPage = NonNullable<AnalysisState['page']>;
export type PageColours = FoundPage['colours'];
export type FoundLogo = FoundPage['logos'][number];

/** The analysis of one website for one tenant's theme, as stored. */
export function analysisOf(record: OperationRecord, picturesRemovedAt: Date | null) {
  const { tenantId, websiteUrl } = analysisInput.parse(record.input);
  const { page, omitted, screenshot, suggested } = analysisState.parse(record.state);
  const hasEnded = record.status !== 'queued' && record.status !== 'running';
  const status: (typeof analysisStatuses)[number] =
    record.status === 'success' ? 'complete' : hasEnded ? 'failed' : 'processing';
  const failure = suggested?.failure ? `${suggested.failure}: built-in rules suggested instead` : null;
  return {
    id: record.id,
    tenantId,
    websiteUrl,
    status,
    /** Why it failed, a sentence for the user. */
    error: status === 'failed' ? (record.error?.message ?? 'Cancelled') : null,
    /** What is missing from the result, in sentences for the user. */
    warnings: [...omitted, screenshot?.problem, failure].filter((one) => typeof one === 'string'),
    /** The step under way; null while it waits for others, and once it has ended. */
    currentStep: hasEnded ? null : currentStep(record),
    /** What was found on the page; null before it was read. No logos after their retention time. */
    found: page && { ...page, logos: picturesRemovedAt === null && status !== 'failed' ? page.logos : [] },
    /** The file of the screenshot, if one is kept. */
    screenshot: picturesRemovedAt === null ? (screenshot?.file ?? null) : null,
    createdAt: new Date(record.createdAt),
    finishedAt: record.finishedAt === null ? null : new Date(record.finishedAt),
  };
}
export type Analysis = ReturnType<typeof analysisOf>;
