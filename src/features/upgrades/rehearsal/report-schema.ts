import { z } from 'zod';
import { operationStatuses } from '../../../lib/operations/operation.ts';
import { shownUpgrade, upgradeAnswer } from '../schema.ts';
import { rehearsalAnswer, shownRehearsal } from './rehearsal-schema.ts';
import type { UpgradeReport } from './report.ts';

export const reportBody = z
  .object({
    deployment_id: z.uuid(),
    kind: z.enum(['upgrade', 'rehearsal']),
    status: z.enum(operationStatuses),
    previous_version: z.string().nullable(),
    new_version: z.string().nullable(),
    failure: z
      .object({
        reason: z.string().meta({ description: 'What failed, and what became of the tenant' }),
        rollback: z.enum(['not_needed', 'done', 'failed']).meta({
          description: '`not_needed`: nothing was changed; `failed`: not all of it could be taken back',
        }),
      })
      .nullable(),
    upgraded: upgradeAnswer.nullable(),
    rehearsed: rehearsalAnswer.nullable(),
  })
  .meta({ id: 'UpgradeReport' });

export const shownReport = (report: UpgradeReport): z.input<typeof reportBody> => ({
  deployment_id: report.id,
  kind: report.kind,
  status: report.status,
  previous_version: report.previousVersion,
  new_version: report.newVersion,
  failure: report.failure,
  upgraded: report.upgraded && shownUpgrade(report.upgraded),
  rehearsed: report.rehearsed && shownRehearsal(report.rehearsed),
});
