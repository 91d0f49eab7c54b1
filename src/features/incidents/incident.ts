import { newId } from '../../lib/ids.ts';
import type { Severity } from '../notifications/alert.ts';
import { type Cause, causeKey } from './cause.ts';

export const incidentStatuses = ['open', 'acknowledged', 'resolved'] as const;
/** open → acknowledged (by a user) → resolved (everything recovered); open → resolved. A resolved one never opens again. */
export type IncidentStatus = (typeof incidentStatuses)[number];

export const leaveReasons = ['recovered', 'stopped', 'deleted', 'moved'] as const;
/** Why a tenant is no longer affected. `moved`: another cause was found, which has its own incident. */
export type LeaveReason = (typeof leaveReasons)[number];

export const entryKinds = [
  'opened',
  'joined',
  'recovered',
  'left',
  'notified',
  'acknowledged',
  'note',
  'diagnosis_changed',
  'log',
  'resolved',
] as const;
export type EntryKind = (typeof entryKinds)[number];

export interface Incident {
  id: string;
  /** What it is grouped by; null once resolved. */
  openKey: string | null;
  severity: Severity;
  title: string;
  /** What exactly was found, for operators. */
  detail: string | null;
  remedy: string | null;
  causeCode: string;
  scopeKind: string;
  scopeName: string;
  status: IncidentStatus;
  /** Whether the manager's own checks found it, in addition to or instead of tenants' checks. */
  foundByManager: 'none' | 'failing' | 'recovered';
  inMaintenance: boolean;
  openedAt: Date;
  acknowledgedBy: string | null;
  acknowledgedAt: Date | null;
  resolvedAt: Date | null;
  /** How many announcements were made: of its opening, then of tenants that joined. */
  announced: number;
  reminders: number;
  /** The last announcement or reminder. */
  notifiedAt: Date | null;
  /** Nothing is left to announce. */
  closed: boolean;
}

/** A tenant of an incident. */
export interface Member {
  incidentId: string;
  tenantId: string;
  slug: string;
  name: string;
  joinedAt: Date;
  leftAt: Date | null;
  leftReason: LeaveReason | null;
  /** The announcement that names it, from 1; null: none yet. */
  batch: number | null;
}

/** More than one tenant, or the infrastructure of all, is critical. */
export function severityOf(scopeKind: string, tenants: number): Severity {
  if (scopeKind === 'disk') return 'warning';
  return tenants > 1 || scopeKind === 'engine' || scopeKind === 'proxy' || scopeKind === 'node' ? 'critical' : 'error';
}

/** A new incident of a cause. */
export const openedFor = (cause: Cause, openedAt: Date): Incident => ({
  id: newId(),
  openKey: causeKey(cause),
  severity: severityOf(cause.scope.kind, 1),
  title: cause.title,
  detail: null,
  remedy: cause.remedy,
  causeCode: cause.code,
  scopeKind: cause.scope.kind,
  scopeName: cause.scope.name,
  status: 'open',
  foundByManager: 'none',
  inMaintenance: false,
  openedAt,
  acknowledgedBy: null,
  acknowledgedAt: null,
  resolvedAt: null,
  announced: 0,
  reminders: 0,
  notifiedAt: null,
  closed: false,
});

/** Units that were just restarted need a moment, and are checked several times. Less than the shortest interval of sweeps. */
export const minGapMs = 4_000;

/** Counts consecutive good and bad checks by name. A restart starts again, so an incident is opened at most some checks later. */
export class Streaks {
  readonly #counts = new Map<string, { bad: number; good: number; badAt: number }>();

  /** @returns how many checks in a row were bad; several within `minGapMs` count once */
  bad(name: string, at: Date): number {
    const known = this.#counts.get(name);
    if (known && known.bad > 0 && at.getTime() - known.badAt < minGapMs) return known.bad;
    const bad = (known?.bad ?? 0) + 1;
    this.#counts.set(name, { bad, good: 0, badAt: at.getTime() });
    return bad;
  }

  /** @returns how many checks in a row were good */
  good(name: string): number {
    const good = (this.#counts.get(name)?.good ?? 0) + 1;
    this.#counts.set(name, { bad: 0, good, badAt: 0 });
    return good;
  }

  badOf = (name: string): number => this.#counts.get(name)?.bad ?? 0;
  has = (name: string): boolean => this.#counts.has(name);
  forget = (name: string): boolean => this.#counts.delete(name);
  names = (): string[] => [...this.#counts.keys()];
  /** Those whose last check was bad. */
  failing = (): string[] => [...this.#counts].filter(([, { bad }]) => bad > 0).map(([name]) => name);
}

/** Whether a long failure is diagnosed again after this many checks: soon, then rarely. */
export const isTimeToDiagnose = (bad: number): boolean => bad === 3 || bad === 5 || bad % 10 === 0;
