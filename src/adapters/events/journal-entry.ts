export const logLevels = ['info', 'warning', 'error', 'critical'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logCategories = ['deployment', 'api', 'health_check', 'system', 'audit'] as const;
export type LogCategory = (typeof logCategories)[number];

/** A line of the house's journal, as any feature writes it. */
export interface JournalEntry {
  level: LogLevel;
  category: LogCategory;
  message: string;
  tenant?: { id: string; slug: string };
  details?: Record<string, unknown>;
}

/** Writes to the journal; never throws: a journal that fails must not fail the work it tells of. */
export type WriteJournal = (entry: JournalEntry) => Promise<void>;

/** Who did something, for audit entries. */
export interface Actor {
  userId: string | null;
  username: string;
}

/** The manager itself, where nobody asked. */
export const managerActor: Actor = { userId: null, username: 'tenantry' };
