import { z } from 'zod';
import { operationStatuses } from '../../../lib/operations/operation.ts';
import { shownUpgrade, upgradeAnswer } from '../schema.ts';
import type { Rehearsal } from './rehearsal-service.ts';
import type { UpgradeReport } from './report.ts';

const change = z.enum(['added', 'removed', 'changed']);
const partBody = z
  .object({ name: z.string(), change, before: z.string().nullable(), after: z.string().nullable() })
  .meta({ id: 'SchemaPartChange', description: 'As the database describes it; null: it does not exist' });

export const rehearsalAnswer = z
  .object({
    status: z.literal('rehearsed'),
    ok: z.boolean().meta({ description: 'Whether the version can be prepared and its migrations succeed' }),
    previous_version: z.string().nullable(),
    new_version: z.string().nullable(),
    commit: z.string(),
    duration_seconds: z.number(),
    copy_seconds: z.number().meta({ description: 'Copying the database into the scratch database' }),
    migrations_run: z.array(z.object({ name: z.string(), duration_seconds: z.number() })),
    failure: z
      .object({
        step: z.string(),
        script: z.string().nullable(),
        message: z.string(),
        output: z.array(z.string()).meta({ description: 'Its last lines' }),
      })
      .nullable(),
    schema_changes: z.array(
      z.object({ table: z.string(), change, columns: z.array(partBody), indexes: z.array(partBody) }),
    ),
    row_counts: z.array(z.object({ table: z.string(), before: z.int().nullable(), after: z.int().nullable() })),
    notes: z.array(z.string()),
    deployment_id: z.uuid().meta({ description: 'The deployment with its log' }),
  })
  .meta({ id: 'Rehearsed' });

const toSeconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100;

export const shownRehearsal = (rehearsal: Rehearsal): z.input<typeof rehearsalAnswer> => {
  const { findings, target } = rehearsal;
  return {
    status: 'rehearsed',
    ok: findings.ok,
    previous_version: rehearsal.previousVersion,
    new_version: target.version,
    commit: target.commit,
    duration_seconds: toSeconds(rehearsal.durationMs),
    copy_seconds: toSeconds(findings.copyMs),
    migrations_run: findings.scripts.map(({ name, ms }) => ({ name, duration_seconds: toSeconds(ms) })),
    failure: findings.failure,
    schema_changes: findings.schema,
    row_counts: findings.rows,
    notes: findings.notes,
    deployment_id: rehearsal.id,
  };
};

export const reportBody = z
  .object({
    deployment_id: z.uuid(),
    kind: z.enum(['upgrade', 'rehearsal']),
    status: z.enum(operationStatuses),
    previous_version: z.string().nullable(),
    new_version: z.string().nullable(),
    failure: z
      .object({
        reason: z.string().meta({ description: 'What failed, and the tenant’s state' }),
        rollback: z.enum(['not_needed', 'done', 'failed']).meta({
          description: '`not_needed`: nothing was changed; `failed`: the rollback is incomplete',
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
