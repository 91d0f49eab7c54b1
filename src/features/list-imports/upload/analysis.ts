import { z } from 'zod';
import type { OperationDefinition } from '../../../lib/operations/operation.ts';
import type { JobStreams } from '../job-streams.ts';
import type { Learning } from '../learning/learned.ts';
import type { ImportsDeps } from '../list-imports.ts';
import type { ImportJob } from '../store.ts';
import { applyTemplate, matchTemplate } from '../templates/match-template.ts';
import type { ListFiles } from './files.ts';

const analysisInput = z.object({ jobId: z.string() });
type Analysis = z.output<typeof analysisInput>;

/**
 * Finds mappings of a list's columns: those of a template with the same layout, else what users chose before, else suggested ones. Mappings that a user
 * sets in the meantime stay.
 */
export function analysisOperation(
  { files, streams, learning }: { files: ListFiles; streams: JobStreams; learning: Learning },
  { jobs, templates, suggestMappings }: ImportsDeps,
): OperationDefinition<Analysis, Record<string, never>> {
  async function analyze(job: ImportJob): Promise<Partial<ImportJob>> {
    const { headers, headerRow } = job.layout;
    const { rows: sampleRows } = await files.sample(job);
    const hasHeader = headerRow !== null;
    const known = hasHeader ? matchTemplate(await templates.all(), headers) : undefined;
    const suggested = await suggestMappings(
      { headers, sampleRows, hasHeader },
      hasHeader && !known ? (mappings) => learning.apply({ headers, rows: sampleRows }, mappings) : undefined,
    );
    if (!known) return { mappings: suggested.mappings, mappingWarnings: suggested.warnings, templateId: null };
    const { mappings, warnings } = applyTemplate(known.template, headers, suggested.mappings);
    return {
      mappings,
      mappingWarnings: [
        `The list has the layout of the template “${known.template.name}”: its mappings are suggested.`,
        ...warnings,
      ],
      templateId: known.template.id,
    };
  }

  const end = async (id: string, changes: Partial<ImportJob>): Promise<void> => {
    await jobs.update(id, changes, ['analyzing']);
    const job = await jobs.find(id);
    if (job) streams.progress(job);
  };

  return {
    kind: 'analyze',
    immediate: true,
    steps: [
      {
        name: 'Analyze',
        async run({ input }) {
          const job = await jobs.find(input.jobId);
          if (job?.status !== 'analyzing') return { skipped: 'the mappings were set during the analysis' };
          await end(job.id, { ...(await analyze(job)), status: 'ready', validation: null });
          return undefined;
        },
      },
    ],
    parseInput: (value) => analysisInput.parse(value),
    parseState: () => ({}),
    async settle({ input }, { outcome, error }) {
      if (outcome === 'success') return;
      const job = await jobs.find(input.jobId);
      await end(input.jobId, {
        status: job?.mappings ? 'ready' : 'pending',
        mappingWarnings: [`The analysis failed: ${error?.message ?? outcome}`],
      });
    },
  };
}
