import { z } from 'zod';
import { waitField } from '../../lib/http/responses/accepted-response.ts';
import { queryBoolean, timestamp, toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { listOf } from '../../lib/http/routing/paging.ts';
import type { AvailableBranch, AvailableVersion } from './single/available-versions.ts';
import type { Succeeded } from './single/upgrade.ts';
import type { VersionReport } from './single/version-report.ts';

export const versionBody = z
  .object({
    deployed_version: z
      .string()
      .nullable()
      .meta({ description: 'The tag; null if a branch, a commit or nothing is deployed' }),
    deployed_ref: z.string().nullable().meta({ description: 'The branch or commit that was deployed (`target_ref`)' }),
    deployed_commit: z
      .string()
      .nullable()
      .meta({ description: 'As reported by the tenant’s units; null if there are none or they differ' }),
    latest_version: z.string().nullable().meta({ description: 'The highest tag that is not a pre-release' }),
    latest_commit: z.string().nullable(),
    upgrade_available: z.boolean(),
    failed_versions: z
      .array(z.object({ version: z.string().nullable(), commit: z.string(), failed_at: timestamp, reason: z.string() }))
      .meta({ description: 'Versions that an upgrade of this tenant failed to, newest first, until one succeeds' }),
  })
  .meta({ id: 'TenantVersion' });

export const shownVersion = (report: VersionReport): z.input<typeof versionBody> => ({
  deployed_version: report.deployedVersion,
  deployed_ref: report.deployedRef,
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
  rehearse: queryBoolean(false).meta({ description: 'Run the migrations on a copy of the database instead' }),
  wait: waitField,
});

const commitFields = {
  commit: z.string(),
  author: z.string().nullable(),
  date: timestamp.nullable().meta({ description: 'The date of the commit' }),
  subject: z.string().nullable().meta({ description: 'The first line of the commit’s message' }),
};

const shownCommit = ({ commit, details }: Pick<AvailableVersion, 'commit' | 'details'>) => ({
  commit,
  author: details?.author ?? null,
  date: toTimestampOrNull(details?.date ?? null),
  subject: details?.subject ?? null,
});

export const availableVersionBody = z
  .object({
    version: z.string(),
    ...commitFields,
    deployed: z.boolean(),
    latest: z.boolean().meta({ description: 'The highest version that is not a pre-release' }),
    pre_release: z.boolean(),
    older: z.boolean().meta({ description: 'Older than the deployed version: needs `allow_downgrade`' }),
    failure: z
      .object({ failed_at: timestamp, reason: z.string() })
      .nullable()
      .meta({ description: 'Why an upgrade of this tenant to it failed' }),
  })
  .meta({ id: 'AvailableVersion' });

export const shownAvailable = (one: AvailableVersion): z.input<typeof availableVersionBody> => ({
  version: one.version,
  ...shownCommit(one),
  deployed: one.deployed,
  latest: one.latest,
  pre_release: one.preRelease,
  older: one.older,
  failure: one.failure && { failed_at: toTimestamp(one.failure.failedAt), reason: one.failure.reason },
});

const branchBody = z
  .object({
    name: z.string(),
    ...commitFields,
    default: z.boolean().meta({ description: 'The repository’s default branch' }),
    deployed: z.boolean().meta({ description: 'Its newest commit is deployed' }),
  })
  .meta({ id: 'AvailableBranch' });

export const versionsBody = listOf('versions', availableVersionBody).extend({
  branches: z.array(branchBody).meta({
    description: 'The default branch, then the branches with the newest commits; at most 100, the same on every page',
  }),
});

export const shownBranch = (one: AvailableBranch): z.input<typeof branchBody> => ({
  name: one.name,
  ...shownCommit(one),
  default: one.isDefault,
  deployed: one.deployed,
});

export const upgradeBody = z.strictObject({
  target_version: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .meta({ description: 'A version tag; null or missing: the latest that is not a pre-release' }),
  backup_db: z.boolean().default(true),
  run_migrations: z.boolean().default(true),
  allow_downgrade: z.boolean().default(false).meta({ description: 'Allow an older version; the data stays as it is' }),
});

export const upgradeAnswer = z
  .object({
    status: z.literal('success'),
    previous_version: z.string().nullable(),
    new_version: z.string().nullable(),
    commit: z.string(),
    migrations_run: z.array(z.string()).meta({ description: 'Paths in the repository, in the order they ran' }),
    backup_path: z.string().nullable().meta({ description: 'On the manager’s disk; null with `backup_db` false' }),
    details: z.array(z.string()),
    deployment_id: z.uuid().meta({ description: 'The deployment with its log' }),
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
