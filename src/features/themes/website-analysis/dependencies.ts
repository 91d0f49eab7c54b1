import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../../adapters/events/bus.ts';
import type { Websites } from '../../../adapters/website/website.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { ThemeEditor } from '../theme-editor.ts';
import type { AnalysisStore } from './store.ts';
import type { SeenPage } from './suggestions/by-assistant.ts';
import type { SuggestedThemes } from './suggestions/suggest.ts';

/** What website analyses need from other features. */
export interface AnalysisDependencies {
  rows: AnalysisStore;
  /** Runs analyses, concurrently with a tenant's other operations. */
  engine: OperationEngine;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  events: EventBus;
  logger: Logger;
  tenants: { get(id: string): Promise<Tenant>; find(id: string): Promise<Tenant | undefined> };
  themeEditor: Pick<ThemeEditor, 'change'>;
  websites: Websites;
  /** A picture (PNG) of a page as a browser shows it. @throws with a sentence for the user where it can't be had */
  screenshot(address: string, options: { signal: AbortSignal }): Promise<Uint8Array>;
  suggest(page: SeenPage, signal: AbortSignal): Promise<SuggestedThemes>;
  settings: {
    /** Days that screenshots are kept. */
    screenshotRetentionDays(): Promise<number>;
    /** US dollars a million tokens; 0: not known. */
    prices(): Promise<{ input: number; output: number }>;
  };
  /** Where screenshots are kept (absolute). */
  directory: string;
  /** Where the logos that were found are kept (absolute). */
  logoDirectory: string;
}
