import { z } from 'zod';
import { databaseEngines, uncoveredCodes } from '../../adapters/databases/tenant-database.ts';
import { waitField } from '../../lib/http/responses/accepted-response.ts';
import { timestamp, toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { pagingQuery } from '../../lib/http/routing/paging.ts';
import { backupKinds, backupStatuses, remoteStates } from './backup.ts';
import { cronProblem } from './schedule/schedule.ts';
import type { Schedule } from './schedule/schedules.ts';
import type { Backup } from './store.ts';

const drillBody = z
  .object({
    ok: z.boolean(),
    checked_at: timestamp,
    duration_seconds: z.number(),
    differences: z.array(z.string()),
  })
  .meta({ id: 'RestoreDrill', description: 'The result of loading it into a scratch database' });

const remoteBody = z
  .object({
    state: z.enum(remoteStates).meta({ description: '`pending`: waiting for an upload or a retry' }),
    bucket: z.string().nullable(),
    key: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
    tried_at: timestamp.nullable(),
  })
  .meta({ id: 'BackupCopy', description: 'The copy in a bucket' });

export const backupBody = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    kind: z.enum(backupKinds),
    status: z.enum(backupStatuses).meta({ description: 'Only a `complete` backup is usable: it was verified' }),
    version: z.string().nullable(),
    commit: z.string(),
    engine: z.enum(databaseEngines).nullable().meta({ description: 'null: the application has no database' }),
    backup_path: z.string().nullable().meta({ description: 'On the manager’s disk; null for viewers' }),
    size_bytes: z.int().nullable(),
    size_mb: z.number().nullable(),
    sha256: z.string().nullable(),
    row_counts: z
      .record(z.string(), z.int())
      .nullable()
      .meta({ description: 'Counted by the database at the backup’s moment; null: it could not be counted then' }),
    not_covered: z
      .array(z.object({ code: z.enum(uncoveredCodes), table: z.string() }))
      .nullable()
      .meta({
        description:
          'What it cannot bring back. `history`: former rows of a system-versioned table; `float_digits`: digits of FLOAT columns beyond the sixth. null: not known',
      }),
    loss: z
      .object({
        tables: z.array(z.object({ table: z.string(), before: z.int(), after: z.int() })),
        bytes: z.object({ before: z.int(), after: z.int() }).nullable(),
        confirmed_by: z.string().nullable(),
      })
      .nullable()
      .meta({
        description:
          'Far fewer rows or bytes than in the backup before; null: no. Older backups stay until it is confirmed',
      }),
    duration_seconds: z.number().nullable(),
    created_by: z.string(),
    created_at: timestamp,
    verified_at: timestamp.nullable(),
    drill: drillBody.nullable(),
    error: z.string().nullable(),
    remote: remoteBody.nullable().meta({ description: 'null: no bucket was configured when it was made' }),
  })
  .meta({ id: 'Backup' });

export const toMebibytes = (bytes: number): number => Math.round((bytes / 1024 ** 2) * 100) / 100;
const toSeconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

/** A backup as the API returns it. @param path absolute, of its file; null if hidden */
export const shown = (backup: Backup, path: string | null): z.input<typeof backupBody> => ({
  id: backup.id,
  tenant_id: backup.tenantId,
  kind: backup.kind,
  status: backup.status,
  version: backup.version,
  commit: backup.commit,
  engine: backup.engine,
  backup_path: path,
  size_bytes: backup.sizeBytes,
  size_mb: backup.sizeBytes === null ? null : toMebibytes(backup.sizeBytes),
  sha256: backup.sha256,
  row_counts: backup.rowCounts,
  not_covered: backup.uncovered,
  loss: backup.loss && {
    tables: backup.loss.tables,
    bytes: backup.loss.bytes,
    confirmed_by: backup.loss.confirmedBy,
  },
  duration_seconds: backup.durationMs === null ? null : toSeconds(backup.durationMs),
  created_by: backup.createdBy,
  created_at: toTimestamp(backup.createdAt),
  verified_at: toTimestampOrNull(backup.verifiedAt),
  drill: backup.drill && {
    ok: backup.drill.ok,
    checked_at: backup.drill.checkedAt,
    duration_seconds: toSeconds(backup.drill.durationMs),
    differences: backup.drill.differences,
  },
  error: backup.error,
  remote: backup.remoteState && {
    state: backup.remoteState,
    bucket: backup.remotePlace?.bucket ?? null,
    key: backup.remoteKey,
    error: backup.remoteError,
    tried_at: toTimestampOrNull(backup.remoteTriedAt),
  },
});

export const waitQuery = z.object({ wait: waitField });

export const backupsQuery = pagingQuery().extend({ kind: z.enum(backupKinds).optional() });

const keepBody = z
  .strictObject({
    last: z.int().min(1).max(1_000),
    daily: z.int().min(0).max(1_000),
    weekly: z.int().min(0).max(1_000),
    monthly: z.int().min(0).max(1_000),
  })
  .meta({
    id: 'BackupRetention',
    description:
      'Keeps the newest backups and the newest of each of the last days, weeks and months with a backup (UTC)',
  });

const cron = z.string().trim().max(255);

export const scheduleChanges = z.strictObject({
  cron: cron
    .refine((text) => text === '' || cronProblem(text) === undefined, {
      error: ({ input }) => cronProblem(String(input)) ?? '',
    })
    .nullable()
    .meta({ description: 'Five fields, in UTC; empty: none; null: the setting `backup_schedule` applies' }),
  keep: keepBody.nullable().default(null).meta({ description: 'null: the settings `backup_keep_…` apply' }),
});

export const scheduleBody = z
  .object({
    tenant_id: z.uuid(),
    cron: cron.nullable(),
    effective_cron: cron.meta({ description: 'The schedule in effect; empty: none' }),
    keep: keepBody.nullable(),
    effective_keep: keepBody,
    next_run_at: timestamp.nullable(),
  })
  .meta({ id: 'BackupSchedule' });

export const shownSchedule = (schedule: Schedule): z.input<typeof scheduleBody> => ({
  tenant_id: schedule.tenantId,
  cron: schedule.cron,
  effective_cron: schedule.effectiveCron,
  keep: schedule.keep,
  effective_keep: schedule.effectiveKeep,
  next_run_at: toTimestampOrNull(schedule.nextRunAt),
});

export const restoreBody = z.strictObject({
  target_tenant_id: z.uuid().optional().meta({ description: 'Another tenant to restore into; its data is replaced' }),
  allow_version_mismatch: z
    .boolean()
    .default(false)
    .meta({ description: 'Allow a restore if the tenant runs another version than the backup’s' }),
  without_safety_backup: z.boolean().default(false).meta({
    description: 'For damaged data that cannot be backed up: it is lost, and a failed restore is not rolled back',
  }),
});

export const restoreAnswer = z
  .object({
    message: z.string(),
    backup_id: z.uuid(),
    duration_seconds: z.number(),
    safety_backup_id: z.uuid().nullable().meta({ description: 'The backup of the previous data; null: none was made' }),
  })
  .meta({ id: 'Restored' });

export const remoteBackupAnswer = z
  .object({ message: z.string(), backup_path: z.string(), size_mb: z.number() })
  .meta({ id: 'RemoteBackup' });
