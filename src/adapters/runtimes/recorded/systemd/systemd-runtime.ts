import { dirname, join } from 'node:path';
import { removeCutOffWrites } from '../../../../lib/files/atomic-file.ts';
import type { Logger } from '../../../../lib/logger.ts';
import { checkedImportName, putImport, removeImport } from '../../import-files.ts';
import { createOwnedDataFiles } from '../../owned-data-files.ts';
import { type OwnedResource, type Runtime, unitRoles } from '../../runtime.ts';
import { createEnvironments } from '../environment.ts';
import { generationToRun } from '../generations.ts';
import { createRecordedRuntime } from '../recorded-runtime.ts';
import { createTenantRecords } from '../records.ts';
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
import { createGenerationFiles } from './units/generation-files.ts';
import { createInstalledUnits, type InstalledUnits } from './units/installed-units.ts';
import { inside } from './units/sandbox.ts';
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
  const environments = createEnvironments(options.managerEnvironment, {
    nodeDirectory: inside.node,
    home: inside.temporary,
  });
  const names = transientNames(instance);
  const users = createUsers(instance);
  const paths = createTenantPaths({ instance, users });
  const installs = createInstalls({ instance, names, users, environments, nodeDirectory });
  const jobs = createJobs({ directory: join(directory, 'jobs'), names, paths, environments, nodeDirectory });
  const installed = createInstalledUnits(options.unitDirectory ?? '/etc/systemd/system', instance);
  let known: number | undefined;
  const version = async (): Promise<number> => (known ??= await readVersion());
  const files = createGenerationFiles({ instance, records, paths, environments, nodeDirectory, version });
  const units = createUnits({ records, files, installed, paths });
  let endWatch = (): void => undefined;

  /** The services that should run, of all tenants. */
  async function wantedServices(): Promise<string[]> {
    return (await records.readable()).flatMap((record) =>
      unitRoles.filter((role) => generationToRun(record, role)).map((role) => serviceName(record.tenant.slug, role)),
    );
  }

  return createRecordedRuntime(directory, records, {
    kind: 'systemd',

    availability,
    async open() {
      // The base removes those of the records; these are in the generations' directories.
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

    releases: installs,

    paths: paths.seen,
    ensure: paths.ensure,
    async stage(record, role, signal) {
      await installed.assertFree(record.tenant, role);
      const generation = record.units[role].staged;
      if (generation) await files.write(generation, signal);
      return record;
    },
    async isCurrent(live) {
      if (!(await files.areCurrent(live))) return false;
      return (await installed.content(live.spec.tenant, live.spec.role)) === (await files.unitFile(live));
    },
    follow: units.follow,
    prune: files.prune,

    inspect: async ({ tenant, role }, live) =>
      unitState(live, live && (await showService(serviceName(tenant.slug, role)))),
    async usage({ tenant, role }) {
      const live = (await records.read(tenant.id))?.units[role].live;
      return live && unitUsage(serviceName(tenant.slug, role));
    },
    logs: (unit, request) => unitLogs(instance, unit, request),
    runJob: jobs.run,

    async putImportFile(tenant, name, content) {
      const seen = join(paths.seen(tenant).importDirectory, checkedImportName(name));
      await putImport(paths.imports(tenant), name, content, await paths.ensure(tenant));
      return seen;
    },
    removeImportFile: (tenant, name) => removeImport(paths.imports(tenant), name),
    data: createOwnedDataFiles({
      pathOf: paths.data,
      directoryOf: async (tenant) => ({ path: paths.data(tenant), ...(await paths.ensure(tenant)) }),
      whileStill,
    }),

    list: () => listOwned(installed, names),
    async removeTenant(tenant, { data }) {
      await units.remove(tenant);
      await jobs.endAll(tenant);
      await paths.clear(tenant, { data });
    },
  });
}
