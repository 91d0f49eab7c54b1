import { z } from 'zod';
import { waitField } from '../../platform/http/begun.ts';
import { queryBoolean, timestamp, toTimestamp } from '../../platform/http/formats.ts';
import type { Succeeded } from './upgrade.ts';
import type { VersionReport } from './version.ts';
import type { AvailableVersion } from './versions.ts';

export const versionBody = z
  .object({
    deployed_version: z.string().nullable(),
    deployed_commit: z
      .string()
      .nullable()
      .meta({ description: 'As found at the tenant’s units; null where there are none, or two that differ' }),
    latest_version: z.string().nullable().meta({ description: 'The highest tag that is no pre-release' }),
    latest_commit: z.string().nullable(),
    upgrade_available: z.boolean(),
    failed_versions: z
      .array(z.object({ version: z.string().nullable(), commit: z.string(), failed_at: timestamp, reason: z.string() }))
      .meta({ description: 'What this tenant could not be upgraded to, newest first, until it is' }),
  })
  .meta({ id: 'TenantVersion' });

export const shownVersion = (report: VersionReport): z.input<typeof versionBody> => ({
  deployed_version: report.deployedVersion,
  deployed_commit: report.deployedCommit,
  latest_version: report.latestVersion,
  latest_commit: report.latestCommit,
  upgrade_available: report.upgradeAvailable,
  failed_versions: report.failedVersions.map(({ version, commit, failedAt, reason }) => ({
    version,
    commit,
    failed_at: toTimestamp(failedAt),
    reason,
  })),
});

export const upgradeQuery = z.object({
  rehearse: queryBoolean(false).meta({ description: 'Try the migrations on a copy of the database instead' }),
  wait: waitField,
});

export const availableVersionBody = z
  .object({
    version: z.string(),
    commit: z.string(),
    deployed: z.boolean(),
    latest: z.boolean().meta({ description: 'The highest that is no pre-release' }),
    pre_release: z.boolean(),
    older: z.boolean().meta({ description: 'Than what is deployed: only with `allow_downgrade`' }),
    failure: z
      .object({ failed_at: timestamp, reason: z.string() })
      .nullable()
      .meta({ description: 'How this tenant could not be upgraded to it' }),
  })
  .meta({ id: 'AvailableVersion' });

export const shownAvailable = (one: AvailableVersion): z.input<typeof availableVersionBody> => ({
  version: one.version,
  commit: one.commit,
  deployed: one.deployed,
  latest: one.latest,
  pre_release: one.preRelease,
  older: one.older,
  failure: one.failure && { failed_at: toTimestamp(one.failure.failedAt), reason: one.failure.reason },
});

export const upgradeBody = z.strictObject({
  target_version: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .meta({ description: 'A version tag; null or left out: the latest that is no pre-release' }),
  backup_db: z.boolean().default(true),
  run_migrations: z.boolean().default(true),
  allow_downgrade: z
    .boolean()
    .default(false)
    .meta({ description: 'Also to an older version; the data stays as it is' }),
});

export const upgradeAnswer = z
  .object({
    status: z.literal('success'),
    previous_version: z.string().nullable(),
    new_version: z.string().nullable(),
    commit: z.string(),
    migrations_run: z
      .array(z.string())
      .meta({ description: 'Paths within the repository, in the order they were run' }),
    backup_path: z.string().nullable().meta({ description: 'On the manager’s disk; null with `backup_db` false' }),
    details: z.array(z.string()),
    deployment_id: z.uuid().meta({ description: 'Under which its log is kept' }),
  })
  .meta({ id: 'Upgraded' });

export const shownUpgrade = (outcome: Succeeded): z.input<typeof upgradeAnswer> => ({
  status: 'success',
  previous_version: outcome.previousVersion,
  new_version: outcome.newVersion,
  commit: outcome.commit,
  migrations_run: outcome.migrationsRun,
  backup_path: outcome.backupPath,
  details: outcome.details,
  deployment_id: outcome.id,
});
