import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mkdir, rm } from '../../../../lib/files/changes.ts';
import { newId } from '../../../../lib/ids.ts';
import type { Logger } from '../../../../lib/logger.ts';
import type { Runtime, TenantSpace } from '../../runtime.ts';
import { shell } from '../../shell-line.ts';
import { createEnvironments, type ManagerEnvironment } from '../environment.ts';
import { createRecordedRuntime } from '../recorded-runtime.ts';
import { createDataFiles } from './data-files.ts';
import { createImportFiles } from './import-files.ts';
import { runOwnLine } from './logs/runtime-lines.ts';
import { createUnitLogs } from './logs/unit-logs.ts';
import { endProcesses } from './processes/end-processes.ts';
import { listOwned } from './processes/owned-processes.ts';
import { createRecords } from './records.ts';
import { adoptUnits } from './units/adopt-units.ts';
import { defaultRestartDelays, type RestartDelays } from './units/supervisor.ts';
import { createMarks, markVariable } from './units/unit-mark.ts';
import { unitUsage } from './units/unit-usage.ts';
import { createUnits } from './units/units.ts';
import { createWorkingCopies } from './working-copies.ts';

export interface ProcessRuntimeOptions {
  /** The runtime's own directory (absolute): its records, mode 0700. */
  directory: string;
  /** Holds the tenants' import directories. */
  importRoot?: string;
  /** The directory of the Node for units (default: the manager's own). */
  nodeDirectory?: string;
  /** The manager's environment, of which units get only HOME, LANG and NODE_EXTRA_CA_CERTS (its PATH is searched for npm). */
  managerEnvironment?: ManagerEnvironment;
  logger: Logger;
  restartPauses?: RestartDelays;
  /** A log is rotated when it exceeds this many bytes (default 10 MiB); one older file is kept. */
  logLimitBytes?: number;
  /** How often logs are measured (default 2 s). */
  logCheckMs?: number;
  /** How often a process of an earlier manager is checked (default 1 s). */
  adoptedPollMs?: number;
}

/**
 * Units as local processes, for a laptop, a demo and tests: nothing to install, and no isolation between tenants (one user, one
 * file system; `limits` are not enforced). Units outlive the manager and are adopted by the next one.
 */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const { directory, logger, managerEnvironment = {} } = options;
  const records = createRecords(join(directory, 'tenants'));
  const marks = createMarks(directory);
  const environments = createEnvironments(managerEnvironment, {
    nodeDirectory: options.nodeDirectory ?? dirname(process.execPath),
    home: managerEnvironment.HOME || '/', // With npm's cache and settings.
  });
  const logs = createUnitLogs({ limitBytes: options.logLimitBytes ?? 10 * 1024 * 1024, logger });
  const copies = createWorkingCopies({ directory, records, logger });
  const imports = createImportFiles(options.importRoot ?? '/tmp/imports');
  const units = createUnits({
    records,
    marks,
    environments,
    copies,
    logger,
    pauses: options.restartPauses ?? defaultRestartDelays,
    adoptedPollMs: options.adoptedPollMs ?? 1_000,
    logOf: logs.of,
  });

  const dataDirectory = (tenant: TenantSpace): string => join(tenant.directory, 'data');

  async function ensure(tenant: TenantSpace): Promise<void> {
    await mkdir(dataDirectory(tenant), { recursive: true, mode: 0o700 });
    await imports.ensure(tenant);
  }

  return createRecordedRuntime(directory, records, {
    kind: 'process',

    async availability() {
      try {
        await access(shell, constants.X_OK);
        return { available: true, version: `Node.js ${process.version}` };
      } catch {
        return { available: false, reason: `There is no ${shell} on this machine` };
      }
    },
    async open() {
      await adoptUnits({ records, marks, units, logger });
      await copies.removeLeftovers();
      logs.watch(options.logCheckMs ?? 2_000);
    },
    async close() {
      logs.close();
      await units.close();
    },

    releases: {
      begin: copies.noteCheckout,
      forgetExcept: copies.forgetExcept,
      install({ checkout, install: line }, work) {
        const mark = marks.of(undefined, 'release', newId());
        const environment = { ...environments.for({}), [markVariable]: mark };
        return runOwnLine({ line, cwd: checkout, environment, mark }, work);
      },
    },

    paths: (tenant) => ({ importDirectory: imports.directory(tenant), dataDirectory: dataDirectory(tenant) }),
    ensure,
    stage: copies.stage,
    isCurrent: async () => true,
    follow: units.follow,
    prune: copies.prune,

    async inspect({ tenant, role }, live) {
      if (!live) return { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null };
      const found = await units.of(tenant, role).state();
      const state = found.startedAt === null ? 'inactive' : 'active';
      return { ...found, state, commit: live.spec.release.commit };
    },
    usage: ({ tenant, role }) => unitUsage(() => records.readProcess(tenant.id, role)),
    logs: (unit, request) => logs.of(unit).read(request),
    async runJob(job, work, commands) {
      await ensure(job.tenant);
      return copies.forJob(job, work.signal, (cwd) =>
        commands(async (line, { timeoutMs }) => {
          const mark = marks.of(job.tenant, 'job', newId());
          const environment = { ...environments.for(job.environment, job.definition.port), [markVariable]: mark };
          const { exitCode, timedOut } = await runOwnLine({ line, cwd, environment, mark, timeoutMs }, work);
          return { exitCode, timedOut };
        }),
      );
    },

    putImportFile: imports.put,
    removeImportFile: imports.remove,
    data: createDataFiles(dataDirectory),

    list: () => listOwned({ records, marks }),
    async removeTenant(tenant, { data }) {
      await units.remove(tenant);
      await endProcesses({
        marked(text) {
          const mark = marks.read(text);
          return mark?.tenantId === tenant.id && mark.role === 'job';
        },
      });
      await logs.remove(tenant);
      await imports.clear(tenant, { data });
      if (data) await rm(dataDirectory(tenant), { recursive: true, force: true });
    },
  });
}
