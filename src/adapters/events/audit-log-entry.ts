export const logLevels = ['info', 'warning', 'error', 'critical'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logCategories = ['deployment', 'api', 'health_check', 'system', 'audit'] as const;
export type LogCategory = (typeof logCategories)[number];

/** What entries that timelines show are about. */
export const logTopics = [
  'health',
  'deployment',
  'upgrade',
  'service',
  'configuration',
  'theme',
  'proxy',
  'certificate',
  'node',
  'backup',
  'import',
  'tenant',
  'settings',
  'user',
  'sign_in',
] as const;
export type LogTopic = (typeof logTopics)[number];

/** An entry of the audit log. */
export interface AuditLogEntry {
  level: LogLevel;
  category: LogCategory;
  /** Without one, timelines don’t show it. */
  topic?: LogTopic;
  message: string;
  tenant?: { id: string; slug: string };
  details?: Record<string, unknown>;
}

/** Writes to the audit log; never throws: its failure must not fail the work. */
export type WriteAuditLog = (entry: AuditLogEntry) => Promise<void>;

/** The actor of audit entries. */
export interface Actor {
  userId: string | null;
  username: string;
}

/** The manager itself, without a user. */
export const managerActor: Actor = { userId: null, username: 'tenantry' };
