import { createHash } from 'node:crypto';
import type { Cause as DiagnosedCause } from '../diagnosis/diagnosis.ts';
import type { HealthStatus } from '../tenants/tenants.ts';

/** What an incident is about: the cause that the diagnosis found, in short. */
export interface Cause {
  code: string;
  /** One sentence without secrets, for example `The engine is unavailable`. */
  title: string;
  /** The smallest thing that fails: `tenant`, `node`, `engine`, `proxy`, `database_server`, `version`, `disk`. */
  scope: { kind: string; name: string };
  remedy: string | null;
  /** For one tenant. `info`: it opens no incident, but one that is open for it stays. */
  severity: 'error' | 'warning' | 'info';
  /** With its evidence; null: the diagnosis did not find it. */
  diagnosis: DiagnosedCause | null;
}

/** A failed check: `degraded` ones may have harmless causes. */
export type FailedStatus = Extract<HealthStatus, 'unhealthy' | 'degraded'>;

/**
 * The cause of a tenant's failed checks; null: not known; `not_failing`: it is well again, or was stopped or is changed on purpose.
 */
export type CauseOf = (tenantId: string, status: FailedStatus) => Promise<Cause | 'not_failing' | null>;

/** A problem of the manager's dependencies. */
export interface SystemCause extends Cause {
  severity: 'error' | 'warning';
  /** What exactly was found, for operators. */
  detail: string;
}

const maxKeyLength = 200;

/**
 * What incidents are grouped by. A manager has one engine and one proxy, and a node or a disk is one thing: whatever is found there is one
 * incident. Other causes are grouped by place and code.
 */
export function causeKey({ code, scope: { kind, name } }: Pick<Cause, 'code' | 'scope'>): string {
  if (kind === 'engine' || kind === 'proxy') return kind;
  const key = kind === 'node' || kind === 'disk' ? `${kind}/${name}` : `${kind}/${name}/${code}`;
  return key.length <= maxKeyLength ? key : createHash('sha256').update(key).digest('hex');
}

/**
 * What a tenant's incident must share with its last one to be the same again: all ways in which its units fail on their own are
 * one, whether the last check saw a crash, a log line or no answer, and whether other tenants of its version fail, too.
 */
export const familyOf = (cause: Pick<Cause, 'code' | 'scope'>, isOfUnit: (code: string) => boolean): string =>
  isOfUnit(cause.code) || isUndiagnosed(cause.code) ? 'unit' : causeKey(cause);

/** Whether other tenants may have the same cause. */
export const isShared = ({ kind }: Cause['scope']): boolean => kind !== 'tenant';

/** Codes of causes that say only that checks fail. */
export const undiagnosedCodes = ['unknown', 'failed_check'] as const;
const isUndiagnosed = (code: string): boolean => (undiagnosedCodes as readonly string[]).includes(code);

/** The cause of a tenant whose diagnosis is not known. */
export const unknownCause = (tenantId: string, status: FailedStatus): Cause => ({
  code: 'unknown' satisfies (typeof undiagnosedCodes)[number],
  title: 'Health checks fail',
  scope: { kind: 'tenant', name: tenantId },
  remedy: null,
  severity: status === 'degraded' ? 'warning' : 'error',
  diagnosis: null,
});

/** What an incident says of its cause. */
export const shownOf = (cause: Cause) => ({
  openKey: causeKey(cause),
  causeCode: cause.code,
  title: cause.title,
  causeParams: cause.diagnosis?.params ?? null,
  remedy: cause.remedy,
  scopeKind: cause.scope.kind,
  scopeName: cause.scope.name,
});

/** Evidence that an incident keeps, and how long a fact may be. */
const maxEvidence = 20;
const maxFactLength = 1_000;

/** What an incident keeps of a diagnosis. */
export function keptDiagnosis({ diagnosis }: Cause): DiagnosedCause | null {
  if (!diagnosis) return null;
  const evidence = diagnosis.evidence
    .slice(0, maxEvidence)
    .map(({ fact, source, at }) => ({ fact: fact.slice(0, maxFactLength), source, at }));
  return { ...diagnosis, evidence };
}
