import { createTables } from './0001-create-tables.ts';
import { deploymentsCancelAndRelease } from './0002-deployments-cancel-and-release.ts';
import { proxySites } from './0003-proxy-sites.ts';
import { backups } from './0004-backups.ts';
import { upgradeFailures } from './0005-upgrade-failures.ts';
import { imports } from './0006-imports.ts';
import { fleetUpgrades } from './0007-fleet-upgrades.ts';
import { backupsElsewhere } from './0008-backups-elsewhere.ts';
import { themeAnalyses } from './0009-theme-analyses.ts';
import { sessions } from './0010-sessions.ts';
import { apiTokenLimits } from './0011-api-token-limits.ts';
import { sealedCustomEnv } from './0012-sealed-custom-env.ts';
import { sslSkipped } from './0013-ssl-skipped.ts';
import { bulkOperations } from './0015-bulk-operations.ts';
import { healthSearchRevisions } from './0016-health-search-revisions.ts';
import { tenantTags } from './0017-tenant-tags.ts';
import { configHistory } from './0018-config-history.ts';
import { learnedMappings } from './0019-learned-mappings.ts';
import { userPreferences } from './0020-user-preferences.ts';
import { deploymentsByKind } from './0021-deployments-by-kind.ts';
import { measurements } from './0022-measurements.ts';
import { notificationChannels } from './0023-notification-channels.ts';
import { incidents } from './0024-incidents.ts';
import { notificationRules } from './0025-notification-rules.ts';
import { timeline } from './0026-timeline.ts';
import { syntheticChecks } from './0027-synthetic-checks.ts';
import { incidentDetails } from './0028-incident-details.ts';
import { registries } from './0029-registries.ts';
import { requestedPorts } from './0030-requested-ports.ts';
import { preflights } from './0031-preflights.ts';
import { databaseSlots } from './0032-database-slots.ts';
import { returningIncidents } from './0034-returning-incidents.ts';
import type { Migration } from './build.ts';

/** All schema changes in order. A name, once released, never changes. */
export const migrations: readonly Migration[] = [
  createTables,
  deploymentsCancelAndRelease,
  proxySites,
  backups,
  upgradeFailures,
  imports,
  fleetUpgrades,
  backupsElsewhere,
  themeAnalyses,
  sessions,
  apiTokenLimits,
  sealedCustomEnv,
  sslSkipped,
  bulkOperations,
  healthSearchRevisions,
  tenantTags,
  configHistory,
  learnedMappings,
  userPreferences,
  deploymentsByKind,
  measurements,
  notificationChannels,
  incidents,
  notificationRules,
  timeline,
  syntheticChecks,
  incidentDetails,
  registries,
  requestedPorts,
  preflights,
  databaseSlots,
  returningIncidents,
];
