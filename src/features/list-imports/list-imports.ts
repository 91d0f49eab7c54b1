import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { RuntimeImportFiles, RuntimeUnits } from '../../adapters/runtimes/runtime.ts';
import type { TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { TenantConfigs } from '../tenant-config/tenant-config.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { createMappingSuggestions } from './mapping/suggest.ts';
import type { ImportOperations, JobStore, LearnedStore, TemplateStore } from './store.ts';

/** The list loader: contact lists into tenants. */
export interface Imports {
  routes: Route[];
  /** The stream of a job. @throws AppError not_found */
  stream(jobId: string): Promise<ReplayStream>;
  /** Resumes the work of an earlier manager. Call once, before the first request. */
  recover(): Promise<void>;
  /** Removes uploads that were not used within the retention period; the jobs stay as history. */
  applyRetention(): Promise<void>;
  /** Removes directories without a job: its tenant was deleted, or the job was never saved. */
  removeOrphans(): Promise<void>;
}

/** What list imports need of the rest of the manager. */
export interface ImportsDeps {
  jobs: JobStore;
  templates: TemplateStore;
  learned: LearnedStore;
  operations: ImportOperations;
  /** Runs imports and analyses, with the locks of all other operations. */
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  events: EventBus;
  logger: Logger;
  runtime: RuntimeImportFiles & Pick<RuntimeUnits, 'address'>;
  tenants: Tenants;
  tenantApi: TenantApi;
  configs: TenantConfigs;
  suggestMappings: ReturnType<typeof createMappingSuggestions>;
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
