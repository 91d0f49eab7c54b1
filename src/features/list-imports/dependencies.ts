import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { RuntimeImportFiles, RuntimeUnits } from '../../adapters/runtimes/runtime.ts';
import type { TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { FieldMapping } from './mapping/field-mapping.ts';
import type { ImportOperations, JobStore, TemplateStore } from './store.ts';

/** What is known of a list's columns when mappings are to be suggested. */
export interface ColumnsSeen {
  headers: string[];
  sampleRows: string[][];
  /** False: the list has no headers, they are names of ours. */
  hasHeader: boolean;
}

export interface Suggested {
  /** One a column. */
  mappings: FieldMapping[];
  unmapped: string[];
  /** For the user, in whole sentences. */
  warnings: string[];
}

/** What list imports need from other features. */
export interface ImportDependencies {
  jobs: JobStore;
  templates: TemplateStore;
  operations: ImportOperations;
  /** Runs imports and analyses, with the locks of all other operations. */
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  events: EventBus;
  logger: Logger;
  runtime: RuntimeImportFiles & Pick<RuntimeUnits, 'address'>;
  tenants: { get(id: string): Promise<Tenant>; find(id: string): Promise<Tenant | undefined> };
  tenantApi: Pick<TenantApi, 'health' | 'bulkImport' | 'checkDuplicates' | 'removeBatch'>;
  /** The key the tenant's API takes; never to be logged. */
  apiKeyOf(tenantId: string): Promise<string>;
  suggestMappings(columns: ColumnsSeen): Promise<Suggested>;
  settings: {
    maxUploadBytes(): Promise<number>;
    /** Days that uploads are kept after they were last worked on. */
    retentionDays(): Promise<number>;
    /** Country of phone numbers that name none, ISO 3166. */
    region(): Promise<string>;
  };
  /** Where uploads are kept (absolute), a directory a job. */
  directory: string;
  /** Rows put into one file for the tenant. */
  rowsPerPart: number;
  /** How long the manager retries when a tenant does not answer during an import, in ms. */
  tenantTimeoutMs: number;
}
