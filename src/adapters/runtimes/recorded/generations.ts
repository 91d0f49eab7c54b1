import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../lib/ids.ts';
import { type TenantSpace, type UnitRole, type UnitSpec, unitRoles } from '../runtime.ts';

/** One version of a unit, with what its operator wants of it. */
export interface Generation {
  id: string;
  spec: UnitSpec;
  wanted: 'running' | 'stopped';
  /** The name of the tenant's working copy that it runs in, where the runtime makes copies. */
  copy?: string | undefined;
}

interface UnitGenerations {
  staged?: Generation | undefined;
  live?: Generation | undefined;
  /** What was live before `activate`, kept to go back to. */
  previous?: Generation | undefined;
  /** True from `activate` until `settle` or `revert`: then going back means `previous`, or no unit where that is missing. */
  unsettled: boolean;
}

/**
 * All that is remembered of a tenant. It is written as one file in one move, so both units change generation together,
 * and after a crash either everything of a transition below has happened or nothing; processes then follow the record.
 */
export interface TenantRecord {
  tenant: TenantSpace;
  units: Record<UnitRole, UnitGenerations>;
}

/** The record of a tenant that has nothing yet. */
export function emptyRecord(tenant: TenantSpace): TenantRecord {
  return { tenant, units: { api: { unsettled: false }, frontend: { unsettled: false } } };
}

/** Staging begins a new change: what is live by then counts as settled, and is what `reverted` keeps. */
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

/** Nothing to go back to any more. */
export function settled(record: TenantRecord): TenantRecord {
  return eachUnit(record, ({ staged, live }) => ({ staged, live, unsettled: false }));
}

/** As it was before staging: what was stopped then is stopped again. */
export function reverted(record: TenantRecord): TenantRecord {
  return eachUnit(record, (unit) => ({ live: unit.unsettled ? unit.previous : unit.live, unsettled: false }));
}

/** Whether a change was begun and neither settled nor taken back. */
export function isUnsettled(record: TenantRecord): boolean {
  return unitRoles.some((role) => record.units[role].unsettled || record.units[role].staged !== undefined);
}

/** The live generation is to run, or to stand still. */
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

/** Equal in all that would be written down: a key that is absent and one that is undefined are the same. */
export function isSameSpec(one: UnitSpec, other: UnitSpec): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}

function eachUnit(record: TenantRecord, change: (unit: UnitGenerations) => UnitGenerations): TenantRecord {
  return { ...record, units: { api: change(record.units.api), frontend: change(record.units.frontend) } };
}
