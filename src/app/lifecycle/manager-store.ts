import type { WriteLease } from '../../adapters/store/fence.ts';
import { openStore, type Store } from '../../adapters/store/store.ts';
import type { TableDefinition } from '../../adapters/store/table.ts';
import { userPreferencesTable } from '../../features/accounts/preferences/preferences.ts';
import { sessionsTable } from '../../features/accounts/sessions/store.ts';
import { apiTokensTable, usersTable } from '../../features/accounts/store.ts';
import { logEntriesTable } from '../../features/audit-log/store.ts';
import { backupRemovalsTable, backupSchedulesTable, backupsTable } from '../../features/backups/store.ts';
import { deploymentsTable } from '../../features/deployments/store.ts';
import { measurementBlocksTable, measurementJournalTable } from '../../features/history/store.ts';
import { alertCursorsTable, signInPlacesTable } from '../../features/incidents/alert-sources/store.ts';
import { maintenanceWindowsTable } from '../../features/incidents/maintenance/store.ts';
import { incidentEntriesTable, incidentsTable, incidentTenantsTable } from '../../features/incidents/store.ts';
import {
  importJobsTable,
  importOperationsTable,
  importTemplatesTable,
  learnedMappingsTable,
} from '../../features/list-imports/store.ts';
import { notificationChannelsTable } from '../../features/notifications/channels/store.ts';
import { alertsTable, inboxEntriesTable } from '../../features/notifications/inbox/store.ts';
import { notificationDeliveriesTable } from '../../features/notifications/outbox/store.ts';
import {
  digestItemsTable,
  notificationPreferencesTable,
  notificationRulesTable,
} from '../../features/notifications/rules/store.ts';
import { portAllocationsTable } from '../../features/ports/store.ts';
import { preflightsTable } from '../../features/preflight/store.ts';
import { registriesTable } from '../../features/registries/service.ts';
import { bulkOperationsTable, bulkResultsTable } from '../../features/services/bulk/store.ts';
import { settingsTable } from '../../features/settings/store.ts';
import { acmeAccountsTable, certificatesTable, proxySitesTable } from '../../features/sites/store.ts';
import { syntheticCheckRunsTable } from '../../features/synthetic-checks/store.ts';
import { tenantConfigRevisionsTable, tenantConfigsTable } from '../../features/tenant-config/store.ts';
import { tenantDomainsTable, tenantsTable } from '../../features/tenants/store.ts';
import { tagsTable } from '../../features/tenants/tags/tags.ts';
import { tenantThemesTable } from '../../features/themes/store.ts';
import { themeAnalysesTable, themeSuggestionsTable } from '../../features/themes/website-analysis/store.ts';
import { fleetMembersTable, fleetUpgradesTable } from '../../features/upgrades/fleet/store.ts';
import { upgradeFailuresTable } from '../../features/upgrades/store.ts';
import type { Logger } from '../../lib/logger.ts';
import { storeFactsTable } from '../config/store-facts.ts';

/** All tables of the store: each after those that own its rows. */
const tables: readonly TableDefinition[] = [
  usersTable,
  apiTokensTable,
  sessionsTable,
  userPreferencesTable,
  signInPlacesTable,
  settingsTable,
  storeFactsTable,
  logEntriesTable,
  tenantsTable,
  tenantDomainsTable,
  portAllocationsTable,
  tagsTable,
  tenantConfigsTable,
  tenantConfigRevisionsTable,
  tenantThemesTable,
  themeAnalysesTable,
  themeSuggestionsTable,
  proxySitesTable,
  certificatesTable,
  acmeAccountsTable,
  registriesTable,
  preflightsTable,
  deploymentsTable,
  upgradeFailuresTable,
  backupsTable,
  backupSchedulesTable,
  backupRemovalsTable,
  fleetUpgradesTable,
  fleetMembersTable,
  bulkOperationsTable,
  bulkResultsTable,
  measurementBlocksTable,
  measurementJournalTable,
  syntheticCheckRunsTable,
  incidentsTable,
  incidentTenantsTable,
  incidentEntriesTable,
  maintenanceWindowsTable,
  alertCursorsTable,
  alertsTable,
  inboxEntriesTable,
  notificationChannelsTable,
  notificationDeliveriesTable,
  notificationRulesTable,
  notificationPreferencesTable,
  digestItemsTable,
  importJobsTable,
  importOperationsTable,
  importTemplatesTable,
  learnedMappingsTable,
];

/** Opens the manager's store, and gives an empty one its tables; see `openStore`. */
export const openManagerStore = (url: string, logger: Logger, lease?: WriteLease): Promise<Store> =>
  openStore(url, tables, logger, lease);
