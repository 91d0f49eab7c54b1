import { chmod, mkdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../../lib/errors.ts';
import { removeCutOffWrites } from '../../../../lib/files/atomic-file.ts';
import type { Logger } from '../../../../lib/logger.ts';
import { processOnPort } from '../../port-holder.ts';
import {
  type OwnedResource,
  type Runtime,
  type TenantSpace,
  type UnitRef,
  type UnitSpec,
  unitRoles,
} from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import {
  activated,
  emptyRecord,
  type Generation,
  generationsOf,
  generationToRun,
  isSameSpec,
  isUnsettled,
  reverted,
  settled,
  staged,
  type TenantRecord,
  wanting,
} from '../generations.ts';
import { createTenantRecords } from '../records.ts';
import { createReleases } from '../releases.ts';
import { createDataFiles } from './data-files.ts';
import { createImportFiles } from './import-files.ts';
import { createInstalls } from './installs.ts';
import { createJobs } from './jobs.ts';
import { serviceName, type TransientNames, transientNames } from './names.ts';
import { createTenantPaths } from './paths.ts';
import { whileStill } from './pause.ts';
import { availability, loadedUnits, readVersion, showService } from './systemctl/systemctl.ts';
import { unitLogs } from './systemctl/unit-logs.ts';
import { unitState } from './systemctl/unit-state.ts';
import { unitUsage } from './systemctl/unit-usage.ts';
import { adoptUnits } from './units/adopt-units.ts';
import { createEnvironments } from './units/environment.ts';
import { createGenerationFiles } from './units/generation-files.ts';
import { createInstalledUnits, type InstalledUnits } from './units/installed-units.ts';
import { watchSteady } from './units/steady-watch.ts';
import { createUnits } from './units/units.ts';
import { createUsers } from './users.ts';

/** Unit files with our mark, and jobs by their names, as they are now. */
async function listOwned(installed: InstalledUnits, names: TransientNames): Promise<OwnedResource[]> {
  const jobs = (await loadedUnits(names.pattern)).flatMap((name): OwnedResource[] => {
    const tenantId = names.tenantOf(name);
    return tenantId === undefined ? [] : [{ kind: 'job', name, tenantId }];
  });
  return [...(await installed.list()), ...jobs];
}

export interface SystemdRuntimeOptions {
  /** Distinguishes this manager's units and users from another's. */
  instance: string;
  /** The runtime's own directory (absolute): its records, units' environments, mode 0700. */
  directory: string;
  /** Where unit files go (default `/etc/systemd/system`). */
  unitDirectory?: string;
  /** The directory of the Node for units (default: the manager's own). */
  nodeDirectory?: string;
  /** The manager's environment, of which units get only LANG and NODE_EXTRA_CA_CERTS (its PATH is searched for npm). */
  managerEnvironment: Readonly<Record<string, string | undefined>>;
  /** How often steady runs are detected (default 30 s). */
  watchMs?: number;
  /** A run of this length counts as steady (default 60 s). */
  steadyMs?: number;
  logger: Logger;
}

/**
 * Units as services of the host's systemd, which starts them at boot, restarts and confines them, each tenant's as its own
 * user.
 */
export function createSystemdRuntime(options: SystemdRuntimeOptions): Runtime {
  const { instance, directory, logger } = options;
  const nodeDirectory = options.nodeDirectory ?? dirname(process.execPath);
  const records = createTenantRecords(join(directory, 'tenants'));
  const environments = createEnvironments(options.managerEnvironment);
  const names = transientNames(instance);
  const users = createUsers(instance);
  const paths = createTenantPaths({ instance, users });
  const installs = createInstalls({ instance, names, users, environments, nodeDirectory });
  const releases = createReleases({ directory: join(directory, 'releases'), ...installs });
  const jobs = createJobs({ directory: join(directory, 'jobs'), names, paths, environments, nodeDirectory });
  const imports = createImportFiles(paths);
  const installed = createInstalledUnits(options.unitDirectory ?? '/etc/systemd/system', instance);
  let known: number | undefined;
  const version = async (): Promise<number> => (known ??= await readVersion());
  const files = createGenerationFiles({ instance, records, paths, environments, nodeDirectory, version });
  const units = createUnits({ records, files, installed, paths });
  const tenantLocks = new KeyedLock();
  let endWatch = (): void => undefined;

  const live = async ({ tenant, role }: UnitRef): Promise<Generation | undefined> =>
    (await records.read(tenant.id))?.units[role].live;

  /** Records what `change` makes of a tenant's record, then lets systemd follow. */
  function changeTo(tenant: TenantSpace, change: (record: TenantRecord) => TenantRecord, follow = true): Promise<void> {
    return tenantLocks.run(tenant.id, async () => {
      const record = change((await records.read(tenant.id)) ?? emptyRecord(tenant));
      await records.write(record);
      if (follow) await units.follow(record);
      await files.prune(record);
    });
  }

  /** Like `changeTo` for one unit's desired state; the other unit is not touched. */
  function want({ tenant, role }: UnitRef, wanted: 'running' | 'stopped', again = false): Promise<void> {
    return tenantLocks.run(tenant.id, async () => {
      const record = await records.read(tenant.id);
      if (!record?.units[role].live) {
        if (wanted === 'stopped') return;
        throw new AppError('not_deployed', `${unitName(tenant.slug, role)} has not been deployed`);
      }
      const next = wanting(record, role, wanted);
      await records.write(next);
      await units.follow(next, { roles: [role], start: again ? 'restart' : 'now' });
    });
  }

  async function stage(spec: UnitSpec, signal: AbortSignal): Promise<void> {
    if (spec.definition.start === undefined)
      throw new Error(`units.${spec.role}.start is missing in tenant.yaml: the systemd runtime needs it`);
    if (!(await releases.has(spec.release.key))) throw new Error(`Release ${spec.release.key} has not been prepared`);
    await paths.ensure(spec.tenant);
    await tenantLocks.run(spec.tenant.id, async () => {
      await installed.assertFree(spec.tenant, spec.role);
      const record = staged((await records.read(spec.tenant.id)) ?? emptyRecord(spec.tenant), spec);
      const generation = record.units[spec.role].staged;
      if (generation) await files.write(generation, signal);
      await records.write(record);
      await files.prune(record);
    });
  }

  /** The services that should run, of all tenants. */
  async function wantedServices(): Promise<string[]> {
    const found = await Promise.all((await records.tenantIds()).map((id) => records.read(id).catch(() => undefined)));
    return found.flatMap((record) =>
      record
        ? unitRoles.filter((role) => generationToRun(record, role)).map((role) => serviceName(record.tenant.slug, role))
        : [],
    );
  }

  return {
    kind: 'systemd',
    needs: 'start',
    databaseServers: undefined,

    availability,
    async open() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await chmod(directory, 0o700);
      await removeCutOffWrites(join(directory, 'releases'));
      // Next to the records, and in the generations' directories.
      await removeCutOffWrites(join(directory, 'tenants'), { depth: 3 });
      const state = await availability();
      if (state.available) await adoptUnits({ records, units, installed, jobs, installs, logger });
      else logger.error({ reason: state.reason }, 'systemd cannot be used');
      endWatch = watchSteady({
        names: wantedServices,
        everyMs: options.watchMs ?? 30_000,
        steadyMs: options.steadyMs ?? 60_000,
        logger,
      });
    },
    async close() {
      endWatch();
    },

    async freeSpace() {
      const { bavail, bsize } = await statfs(directory).catch(() => statfs(dirname(directory)));
      return { bytes: bavail * bsize, place: directory };
    },
    prepareRelease: (request, work) => releases.prepare(request, work),
    hasRelease: (key) => releases.has(key),
    async removeReleasesExcept(keys) {
      return releases.removeExcept(new Set([...keys, ...(await records.releaseKeys())]));
    },

    paths: paths.seen,

    async stage(spec, work) {
      work.signal.throwIfAborted();
      await stage(spec, work.signal);
      work.log(`Staged ${unitName(spec.tenant.slug, spec.role)} at ${spec.release.commit}`);
    },
    async isLive(spec) {
      const generation = await live(spec);
      if (!generation || !isSameSpec(generation.spec, spec) || !(await files.areCurrent(generation))) return false;
      return (await installed.content(spec.tenant, spec.role)) === (await files.unitFile(generation));
    },
    async activate(tenant, work) {
      work.signal.throwIfAborted();
      await changeTo(tenant, (record) => {
        if (generationsOf(record).length === 0)
          throw new AppError('not_deployed', `Nothing is staged for ${tenant.slug}`);
        return activated(record);
      });
      work.log(`Started the units of ${tenant.slug}`);
      work.signal.throwIfAborted();
    },
    async commit(tenant) {
      if (await records.read(tenant.id)) await changeTo(tenant, settled, false);
    },
    async rollback(tenant, work) {
      if (!(await records.read(tenant.id))) return;
      await changeTo(tenant, reverted);
      work.log(`Rolled ${tenant.slug} back to its former state`);
    },
    async pendingChanges() {
      const found = await Promise.all((await records.tenantIds()).map((id) => records.read(id)));
      return found.flatMap((record) => (record && isUnsettled(record) ? [record.tenant.id] : []));
    },

    start: (unit) => want(unit, 'running'),
    stop: (unit) => want(unit, 'stopped'),
    restart: (unit) => want(unit, 'running', true),
    async inspect(unit) {
      const generation = await live(unit);
      return unitState(generation, generation && (await showService(serviceName(unit.tenant.slug, unit.role))));
    },
    usage: async (unit) => ((await live(unit)) ? unitUsage(serviceName(unit.tenant.slug, unit.role)) : undefined),
    logs: (unit, request) => unitLogs(instance, unit, request),
    runJob: (job, work, commands) => jobs.run(job, work, commands),
    // Its current port: the tenant's port may have changed since it was started. With a damaged record: the tenant's port.
    async address(unit, hostPort) {
      const generation = await live(unit).catch(() => undefined);
      return { host: '127.0.0.1', port: generation?.spec.hostPort ?? hostPort };
    },
    async proxyAddress({ tenant, role }, hostPort) {
      const unit = (await records.read(tenant.id).catch(() => undefined))?.units[role];
      return { host: '127.0.0.1', port: (unit?.staged ?? unit?.live)?.spec.hostPort ?? hostPort };
    },

    putImportFile: (tenant, name, content) => imports.put(tenant, name, content),
    removeImportFile: (tenant, name) => imports.remove(tenant, name),

    data: createDataFiles({ paths, whileStill }),

    portHolder: processOnPort,
    list: () => listOwned(installed, names),
    removeTenant: (tenant, { data }) =>
      tenantLocks.run(tenant.id, async () => {
        const none = emptyRecord(tenant);
        // Records first that nothing of it is to run: a manager killed here does not start it again.
        if (await records.read(tenant.id).catch(() => none)) await records.write(none);
        await units.remove(tenant);
        await jobs.endAll(tenant);
        await paths.clear(tenant, { data });
        await records.remove(tenant.id);
      }),
  };
}
