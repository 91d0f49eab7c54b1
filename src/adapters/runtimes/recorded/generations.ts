import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../lib/ids.ts';
import { type TenantSpace, type UnitRole, type UnitSpec, unitRoles } from '../runtime.ts';

/** One version of a unit, with its desired state. */
export interface Generation {
  id: string;
  spec: UnitSpec;
  wanted: 'running' | 'stopped';
  /** The name of the tenant's working copy that it runs in, if the runtime makes copies. */
  copy?: string | undefined;
}

interface UnitGenerations {
  staged?: Generation | undefined;
  live?: Generation | undefined;
  /** What was live before `activate`, kept for a rollback. */
  previous?: Generation | undefined;
  /** True from `activate` until `commit` or `rollback`: then a rollback restores `previous`, or no unit if that is missing. */
  unsettled: boolean;
}

/**
 * Everything recorded about a tenant. It is written as one file in one move, so both units change generation together, and
 * after a crash a transition below has happened completely or not at all; processes then follow the record.
 */
export interface TenantRecord {
  tenant: TenantSpace;
  units: Record<UnitRole, UnitGenerations>;
}

/** The record of a new tenant. */
export function emptyRecord(tenant: TenantSpace): TenantRecord {
  return { tenant, units: { api: { unsettled: false }, frontend: { unsettled: false } } };
}

/** Staging starts a new change: what is live by then counts as committed, and a rollback keeps it. */
export function staged(record: TenantRecord, spec: UnitSpec): TenantRecord {
  const settledRecord = settled(record);
  const unit = { ...settledRecord.units[spec.role], staged: { id: newId(), spec, wanted: 'running' as const } };
  return { tenant: spec.tenant, units: { ...settledRecord.units, [spec.role]: unit } };
}

/** Staged generations become live; a unit with nothing staged keeps its own, to be run. */
export function activated(record: TenantRecord): TenantRecord {
  return eachUnit(record, (unit) => {
    if (unit.staged) return { live: { ...unit.staged, wanted: 'running' }, previous: unit.live, unsettled: true };
    return unit.live ? { ...unit, live: { ...unit.live, wanted: 'running' } } : unit;
  });
}

/** Removes what a rollback would need. */
export function settled(record: TenantRecord): TenantRecord {
  return eachUnit(record, ({ staged, live }) => ({ staged, live, unsettled: false }));
}

/** Restores the state before staging, stopped units included. */
export function reverted(record: TenantRecord): TenantRecord {
  return eachUnit(record, (unit) => ({ live: unit.unsettled ? unit.previous : unit.live, unsettled: false }));
}

/** Whether a change was started and neither committed nor rolled back. */
export function isUnsettled(record: TenantRecord): boolean {
  return unitRoles.some((role) => record.units[role].unsettled || record.units[role].staged !== undefined);
}

/** Sets whether the live generation is to run. */
export function wanting(record: TenantRecord, role: UnitRole, wanted: Generation['wanted']): TenantRecord {
  const unit = record.units[role];
  if (!unit.live) return record;
  return { ...record, units: { ...record.units, [role]: { ...unit, live: { ...unit.live, wanted } } } };
}

/** What should run of a unit now. */
export function generationToRun(record: TenantRecord, role: UnitRole): Generation | undefined {
  const live = record.units[role].live;
  return live?.wanted === 'running' ? live : undefined;
}

/** All generations a record holds. */
export function generationsOf(record: TenantRecord): Generation[] {
  return unitRoles.flatMap((role) => {
    const { staged, live, previous } = record.units[role];
    return [staged, live, previous].filter((generation) => generation !== undefined);
  });
}

/** Equality of what would be written: a missing key and an undefined one are the same. */
export function isSameSpec(one: UnitSpec, other: UnitSpec): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}

function eachUnit(record: TenantRecord, change: (unit: UnitGenerations) => UnitGenerations): TenantRecord {
  return { ...record, units: { api: change(record.units.api), frontend: change(record.units.frontend) } };
}
