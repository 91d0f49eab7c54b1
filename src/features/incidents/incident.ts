import { newId } from '../../lib/ids.ts';
import { type Severity, severities } from '../notifications/alert.ts';
import { type Cause, shownOf } from './cause.ts';

export const incidentStatuses = ['open', 'acknowledged', 'resolved'] as const;
/**
 * open → acknowledged (by a user) → resolved (everything recovered); open → resolved. A resolved one opens again only for one of its
 * tenants, by the same family of causes, within `returnsWithinMs`: then it is flapping.
 */
export type IncidentStatus = (typeof incidentStatuses)[number];

export const leaveReasons = ['recovered', 'stopped', 'deleted', 'moved'] as const;
/** Why a tenant is no longer affected. `moved`: another cause was found, which has its own incident. */
export type LeaveReason = (typeof leaveReasons)[number];

export const entryKinds = [
  'opened',
  'reopened',
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
  /** What the title names, if the code has parameters. */
  causeParams: Readonly<Record<string, string>> | null;
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
  /** How often it has returned. */
  reopened: number;
  /** Up to which return that was announced. */
  announcedReturns: number;
  /** The last announcement or reminder; null: none yet, or its end was announced before it returned. */
  notifiedAt: Date | null;
  /** How severe it was when it was last announced. */
  announcedSeverity: Severity | null;
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

/** A resolved incident that returns within this time is the same one, and its end is announced when it has not. In ms. */
export const returnsWithinMs = 30 * 60_000;
/** How long a tenant that crashed again and again must be well to have recovered, also after a restart of the manager. In ms. */
export const quietMs = 5 * 60_000;

/** What all tenants use. */
const infrastructure: ReadonlySet<string> = new Set(['engine', 'proxy', 'node', 'disk']);

/** More than one tenant, or the infrastructure of all, is critical; a warning stays one. */
export function severityOf({ scope, severity }: Pick<Cause, 'scope' | 'severity'>, tenants: number): Severity {
  if (severity !== 'error') return severity;
  return tenants > 1 || infrastructure.has(scope.kind) ? 'critical' : 'error';
}

export const isWorse = (one: Severity, other: Severity): boolean => severities.indexOf(one) > severities.indexOf(other);

/** A new incident of a cause. */
export const openedFor = (cause: Cause, openedAt: Date): Incident => ({
  id: newId(),
  ...shownOf(cause),
  severity: severityOf(cause, 1),
  detail: null,
  status: 'open',
  foundByManager: 'none',
  inMaintenance: false,
  openedAt,
  acknowledgedBy: null,
  acknowledgedAt: null,
  resolvedAt: null,
  announced: 0,
  reminders: 0,
  reopened: 0,
  announcedReturns: 0,
  notifiedAt: null,
  announcedSeverity: null,
  closed: false,
});
