import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../../../lib/files/atomic-file.ts';
import { rm } from '../../../../../lib/files/changes.ts';
import { type TenantSpace, type UnitRole, unitRoles } from '../../../runtime.ts';
import { unitName } from '../../../unit-name.ts';
import type { Generation, TenantRecord } from '../../generations.ts';
import type { TenantRecords } from '../../records.ts';
import { serviceName } from '../names.ts';
import type { TenantPaths } from '../paths.ts';
import { runTool } from '../programs.ts';
import { createReload, type ServiceState, showServices, systemctl, systemctlIfAny } from '../systemctl/systemctl.ts';
import { reasonOf } from '../systemctl/unit-state.ts';
import type { GenerationFiles } from './generation-files.ts';
import type { InstalledUnits } from './installed-units.ts';

/**
 * A mark next to the record means: a unit's file has been replaced and the unit not yet restarted from it, which can't be seen
 * from outside. A manager that finds one restarts the unit.
 */
function createChangeMarks(records: TenantRecords) {
  const path = (tenantId: string, role: UnitRole): string => join(records.folder(tenantId), `${role}.changing`);
  return {
    set: (tenantId: string, role: UnitRole) => writeFileAtomic(path(tenantId, role), ''),
    isSet: (tenantId: string, role: UnitRole) =>
      access(path(tenantId, role)).then(
        () => true,
        () => false,
      ),
    clear: (tenantId: string, role: UnitRole) => rm(path(tenantId, role), { force: true }),
  };
}

/** Makes systemd match a tenant's record. */
export function createUnits({
  records,
  files,
  installed,
  paths,
}: {
  records: TenantRecords;
  files: GenerationFiles;
  installed: InstalledUnits;
  paths: TenantPaths;
}) {
  const marks = createChangeMarks(records);
  const reload = createReload();
  const isLive = ({ activeState, subState }: ServiceState): boolean =>
    activeState === 'active' && subState === 'running';
  const isBeingStarted = ({ activeState, subState }: ServiceState): boolean =>
    activeState === 'activating' || subState === 'auto-restart';

  async function remove(tenant: TenantSpace, roles: readonly UnitRole[] = unitRoles): Promise<void> {
    const ours: UnitRole[] = [];
    for (const role of roles) if ((await installed.content(tenant, role)) !== undefined) ours.push(role);
    if (ours.length === 0) return;
    await stop(ours.map((role) => serviceName(tenant.slug, role)));
    for (const role of ours) {
      await installed.remove(tenant, role);
      await marks.clear(tenant.id, role);
    }
    await reload();
  }

  /** Replaces a changed unit file. Returns whether it did. */
  async function put({ spec }: Generation, content: string): Promise<boolean> {
    const { tenant, role } = spec;
    if ((await installed.content(tenant, role)) === content) return false;
    await installed.assertFree(tenant, role);
    await marks.set(tenant.id, role);
    await installed.write(tenant, role, content);
    return true;
  }

  async function start(generations: readonly Generation[]): Promise<void> {
    const names = generations.map(({ spec }) => serviceName(spec.tenant.slug, spec.role));
    // Resets earlier failures.
    await systemctlIfAny('reset-failed', '--', ...names);
    await systemctl('enable', '--quiet', '--no-reload', '--', ...names);
    // Both at a time, and stop and start in one request, for the shortest downtime.
    const { exitCode, output } = await runTool('systemctl', ['restart', '--', ...names]);
    const states = exitCode === 0 ? [] : await showServices(names);
    for (const [at, { spec }] of generations.entries()) {
      const state = states[at];
      if (state && !isLive(state))
        throw new Error(
          `${unitName(spec.tenant.slug, spec.role)} could not be started: ${reasonOf(state)} (${output.trim()})`,
        );
      await marks.clear(spec.tenant.id, spec.role);
    }
  }

  return {
    /** Stops and removes all our units of the tenant. */
    remove,
    /**
     * Installs the live generations' files, starts those that are to run and stops the others; removes units without a live
     * generation. Unchanged ones are left alone. @throws Error with the reason when a unit cannot be started
     * @param options.roles default: both units
     * @param options.start `as it is` leaves a unit alone that systemd is restarting; `restart` also restarts a running one
     */
    async follow(
      record: TenantRecord,
      {
        roles = unitRoles,
        start: how = 'now',
      }: { roles?: readonly UnitRole[]; start?: 'as it is' | 'now' | 'restart' } = {},
    ) {
      const { tenant } = record;
      const lives = roles.flatMap((role) => record.units[role].live ?? []);
      await remove(
        tenant,
        roles.filter((role) => !record.units[role].live),
      );
      if (lives.length === 0) return;

      const running = lives.filter(({ wanted }) => wanted === 'running');
      const standing = lives.filter(({ wanted }) => wanted === 'stopped');
      await stop(standing.map(({ spec }) => serviceName(tenant.slug, spec.role)));
      if (running.length > 0) await paths.ensure(tenant);
      let changed = false;
      for (const live of lives) changed = (await put(live, await files.unitFile(live))) || changed;
      if (changed) await reload();
      const due: Generation[] = [];
      const states = await showServices(running.map(({ spec }) => serviceName(tenant.slug, spec.role)));
      for (const [at, live] of running.entries()) {
        const state = states[at];
        const untouched = state && (isLive(state) || (how === 'as it is' && isBeingStarted(state)));
        if (how === 'restart' || !untouched || (await marks.isSet(tenant.id, live.spec.role))) due.push(live);
      }
      if (due.length > 0) await start(due);
    },
  };
}

export type Units = ReturnType<typeof createUnits>;

async function stop(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await systemctlIfAny('disable', '--quiet', '--no-reload', '--', ...names);
  await systemctlIfAny('stop', '--', ...names);
  const left = (await showServices(names)).filter(({ activeState }) => !['inactive', 'failed'].includes(activeState));
  if (left.length > 0) throw new Error(`systemd did not stop ${left.map(({ name }) => name).join(', ')}`);
  // A killed one counts as failed.
  await systemctlIfAny('reset-failed', '--', ...names);
}
