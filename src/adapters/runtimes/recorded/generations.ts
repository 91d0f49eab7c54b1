import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../../lib/ids.ts';
import { activate, conclude, isPending, type Slots } from '../life-cycle.ts';
import { type TenantSpace, type UnitRole, type UnitSpec, unitRoles } from '../runtime.ts';

/** One version of a unit, with its desired state. */
export interface Generation {
  id: string;
  spec: UnitSpec;
  wanted: 'running' | 'stopped';
  /** The name of the tenant's working copy that it runs in, if the runtime makes copies. */
  copy?: string | undefined;
}

/** The slots of the life cycle as they are stored. */
interface UnitGenerations {
  staged?: Generation | undefined;
  live?: Generation | undefined;
  previous?: Generation | undefined;
  /** Whether anything is kept for a rollback: `previous`, or if that is missing, that there was nothing. */
  unsettled: boolean;
}

/**
 * Everything recorded about a tenant. It is written as one file in one move, so both units change generation together, and
 * after a crash an event of the life cycle has happened completely or not at all; processes then follow the record.
 */
export interface TenantRecord {
  tenant: TenantSpace;
  units: Record<UnitRole, UnitGenerations>;
}

/** The record of a new tenant. */
export function emptyRecord(tenant: TenantSpace): TenantRecord {
  return { tenant, units: { api: { unsettled: false }, frontend: { unsettled: false } } };
}

/** An event of the life cycle for both units. */
export function changed(record: TenantRecord, event: (slots: Slots<Generation>) => Slots<Generation>): TenantRecord {
  const change = (role: UnitRole): UnitGenerations => {
    const { staged, live, kept } = event(slotsOf(record, role));
    return { staged, live, previous: kept === 'none' ? undefined : kept, unsettled: kept !== undefined };
  };
  return { ...record, units: { api: change('api'), frontend: change('frontend') } };
}

/** Stages a new generation; the other unit's staged one stays, for both to be activated together. */
export function staged(record: TenantRecord, spec: UnitSpec): TenantRecord {
  const { units } = changed(record, conclude);
  const unit = { ...units[spec.role], staged: { id: newId(), spec, wanted: 'running' as const } };
  return { tenant: spec.tenant, units: { ...units, [spec.role]: unit } };
}

/** Makes what is staged live; all live generations are to run. */
export function activated(record: TenantRecord): TenantRecord {
  return unitRoles.reduce((changing, role) => wanting(changing, role, 'running'), changed(record, activate));
}

/** Whether a change of either unit was started and neither committed nor rolled back. */
export const hasPendingChange = (record: TenantRecord): boolean =>
  unitRoles.some((role) => isPending(slotsOf(record, role)));

function slotsOf(record: TenantRecord, role: UnitRole): Slots<Generation> {
  const { staged, live, previous, unsettled } = record.units[role];
  return { staged, live, kept: unsettled ? (previous ?? 'none') : undefined };
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

/** Equality of what would be written: a missing key and an undefined one are the same; a changed health path changes nothing. */
export const isSameSpec = (one: UnitSpec, other: UnitSpec): boolean => isDeepStrictEqual(written(one), written(other));

function written({ definition: { health: _, ...definition }, ...spec }: UnitSpec): unknown {
  return JSON.parse(JSON.stringify({ ...spec, definition }));
}
