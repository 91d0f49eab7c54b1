import { constants } from 'node:fs';
import { access, chmod, mkdir, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../../lib/errors.ts';
import { removeCutOffWrites } from '../../../../lib/files/atomic-file.ts';
import { newId } from '../../../../lib/ids.ts';
import type { Logger } from '../../../../lib/logger.ts';
import { processOnPort } from '../../port-holder.ts';
import type {
  JobSpec,
  ReleaseRequest,
  RunCommand,
  Runtime,
  TenantSpace,
  UnitRef,
  UnitSpec,
  Work,
} from '../../runtime.ts';
import { shell } from '../../shell-line.ts';
import { unitName } from '../../unit-name.ts';
import {
  activated,
  emptyRecord,
  generationsOf,
  isSameSpec,
  isUnsettled,
  reverted,
  settled,
  staged,
  type TenantRecord,
  wanting,
} from '../generations.ts';
import { createReleases } from '../releases.ts';
import { createDataFiles } from './data-files.ts';
import { createImportFiles } from './import-files.ts';
import { runOwnLine } from './logs/runtime-lines.ts';
import { createUnitLogs } from './logs/unit-logs.ts';
import { endProcesses } from './processes/end-processes.ts';
import { listOwned } from './processes/owned-processes.ts';
import { createRecords } from './records.ts';
import { adoptUnits } from './units/adopt-units.ts';
import { defaultRestartDelays, type RestartDelays } from './units/restart-delays.ts';
import { createEnvironments, type Environments, type ManagerEnvironment } from './units/unit-environment.ts';
import { createMarks, type Marks } from './units/unit-mark.ts';
import { unitUsage } from './units/unit-usage.ts';
import { createUnits } from './units/units.ts';
import { createWorkingCopies, type WorkingCopies } from './working-copies.ts';

/** Commands in a unit's environment. */
interface Jobs {
  run<T>(job: JobSpec, work: Work, commands: (run: RunCommand) => Promise<T>): Promise<T>;
  /** Ends what runs for a tenant and waits for it. */
  endAll(tenant: TenantSpace): Promise<void>;
}

function createJobs(options: { marks: Marks; environments: Environments; copies: WorkingCopies }): Jobs {
  const { marks, environments, copies } = options;
  return {
    run(job, work, commands) {
      return copies.forJob(job, work.signal, (cwd) =>
        commands(async (line, { timeoutMs }) => {
          const mark = marks.of(job.tenant, 'job', newId());
          const environment = environments.for(job.environment, { mark, port: job.definition.port });
          const { exitCode, timedOut } = await runOwnLine({ line, cwd, environment, mark, timeoutMs }, work);
          return { exitCode, timedOut };
        }),
      );
    },
    endAll: (tenant) =>
      endProcesses({
        marked(text) {
          const mark = marks.read(text);
          return mark?.tenantId === tenant.id && mark.role === 'job';
        },
      }),
  };
}

/** Runs a release's install line as a local process. */
function installer({ marks, environments }: { marks: Marks; environments: Environments }) {
  return ({ checkout, install: line }: ReleaseRequest & { install: string }, work: Work) => {
    const mark = marks.of(undefined, 'release', newId());
    return runOwnLine({ line, cwd: checkout, environment: environments.for({}, { mark }), mark }, work);
  };
}

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

type Change = (record: TenantRecord) => TenantRecord | Promise<TenantRecord>;

/**
 * Units as local processes, for a laptop, a demo and tests: nothing to install, and no isolation between tenants (one user, one
 * file system; `limits` are not enforced). Units outlive the manager and are adopted by the next one.
 */
export function createProcessRuntime(options: ProcessRuntimeOptions): Runtime {
  const { directory, logger } = options;
  const records = createRecords(join(directory, 'tenants'));
  const marks = createMarks(directory);
  const environments = createEnvironments(options.managerEnvironment ?? {}, options.nodeDirectory);
  const logs = createUnitLogs({ limitBytes: options.logLimitBytes ?? 10 * 1024 * 1024, logger });
  const copies = createWorkingCopies({ directory, records, logger });
  const releases = createReleases({
    directory: join(directory, 'releases'),
    begin: copies.noteCheckout,
    forgetExcept: copies.forgetExcept,
    install: installer({ marks, environments }),
  });
  const jobs = createJobs({ marks, environments, copies });
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
  const tenantLocks = new KeyedLock();

  const dataDirectory = (tenant: TenantSpace): string => join(tenant.directory, 'data');

  async function createDirectories(tenant: TenantSpace): Promise<void> {
    await mkdir(dataDirectory(tenant), { recursive: true, mode: 0o700 });
    await imports.ensure(tenant);
  }

  /** Records what `change` makes of a tenant's record, then lets the processes follow. */
  function changeTo(tenant: TenantSpace, change: Change, follow = true): Promise<void> {
    return tenantLocks.run(tenant.id, async () => {
      const record = await change((await records.read(tenant.id)) ?? emptyRecord(tenant));
      await records.write(record);
      if (follow) await units.follow(record);
      await copies.prune(record);
    });
  }

  /** Like `changeTo` for one unit's desired state; the other unit is not touched. */
  function want({ tenant, role }: UnitRef, wanted: 'running' | 'stopped', again = false): Promise<void> {
    return tenantLocks.run(tenant.id, async () => {
      const record = await records.read(tenant.id);
      const live = record?.units[role].live;
      if (!record || !live) {
        if (wanted === 'stopped') return;
        throw new AppError('not_deployed', `${unitName(tenant.slug, role)} has not been deployed`);
      }
      await records.write(wanting(record, role, wanted));
      const supervisor = units.of(tenant, role);
      if (wanted === 'stopped') await supervisor.apply(undefined);
      else await (again ? supervisor.restart(live) : supervisor.apply(live));
    });
  }

  async function checkStageable(spec: UnitSpec): Promise<void> {
    if (spec.definition.start === undefined)
      throw new Error(`units.${spec.role}.start is missing in tenant.yaml: the process runtime needs it`);
    if (!(await releases.has(spec.release.key))) throw new Error(`Release ${spec.release.key} has not been prepared`);
  }

  return {
    kind: 'process',
    needs: 'start',
    databaseServers: undefined,

    async availability() {
      try {
        await access(shell, constants.X_OK);
        return { available: true, version: `Node.js ${process.version}` };
      } catch {
        return { available: false, reason: `There is no ${shell} on this machine` };
      }
    },
    async open() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await chmod(directory, 0o700);
      await removeCutOffWrites(join(directory, 'releases'));
      await removeCutOffWrites(join(directory, 'tenants'), { depth: 1 });
      await adoptUnits({ records, marks, units, logger });
      await copies.removeLeftovers();
      logs.watch(options.logCheckMs ?? 2_000);
    },
    async close() {
      logs.close();
      await units.close();
    },

    async freeSpace() {
      const { bavail, bsize } = await statfs(directory).catch(() => statfs(dirname(directory)));
      return { bytes: bavail * bsize, place: directory };
    },
    prepareRelease: (request, work) => releases.prepare(request, work),
    hasRelease: (key) => releases.has(key),
    async pendingChanges() {
      const found = await Promise.all((await records.tenantIds()).map((id) => records.read(id)));
      return found.flatMap((record) => (record && isUnsettled(record) ? [record.tenant.id] : []));
    },
    removeReleasesExcept: async (keys) => releases.removeExcept(new Set([...keys, ...(await records.releaseKeys())])),

    paths: (tenant) => ({ importDirectory: imports.directory(tenant), dataDirectory: dataDirectory(tenant) }),

    async stage(spec, work) {
      work.signal.throwIfAborted();
      await checkStageable(spec);
      await createDirectories(spec.tenant);
      await changeTo(spec.tenant, (record) => copies.stage(staged(record, spec), spec.role, work.signal), false);
      work.log(`Staged ${unitName(spec.tenant.slug, spec.role)} at ${spec.release.commit}`);
    },
    async isLive(spec) {
      const live = (await records.read(spec.tenant.id))?.units[spec.role].live;
      return live !== undefined && isSameSpec(live.spec, spec);
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

    start: (unit) => want(unit, 'running'),
    stop: (unit) => want(unit, 'stopped'),
    restart: (unit) => want(unit, 'running', true),
    async inspect({ tenant, role }) {
      const live = (await records.read(tenant.id))?.units[role].live;
      if (!live) return { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null };
      const { startedAt, reason, gaveUp } = await units.of(tenant, role).state();
      const state = startedAt === null ? 'inactive' : 'active';
      return { state, commit: live.spec.release.commit, reason, gaveUp, startedAt };
    },
    usage: ({ tenant, role }) => unitUsage(() => records.readProcess(tenant.id, role)),
    logs: (unit, request) => logs.of(unit).read(request),
    async runJob(job, work, commands) {
      await createDirectories(job.tenant);
      return jobs.run(job, work, commands);
    },
    // Its current port: the tenant's port may have changed since it was started.
    async address({ tenant, role }, hostPort) {
      // With a damaged record: the tenant's port, on which its units most likely run.
      const live = (await records.read(tenant.id).catch(() => undefined))?.units[role].live;
      return { host: '127.0.0.1', port: live?.spec.hostPort ?? hostPort };
    },
    async proxyAddress({ tenant, role }, hostPort) {
      const unit = (await records.read(tenant.id).catch(() => undefined))?.units[role];
      return { host: '127.0.0.1', port: (unit?.staged ?? unit?.live)?.spec.hostPort ?? hostPort };
    },

    putImportFile: (tenant, name, content) => imports.put(tenant, name, content),
    removeImportFile: (tenant, name) => imports.remove(tenant, name),

    data: createDataFiles(dataDirectory),

    portHolder: processOnPort,
    list: () => listOwned({ records, marks }),
    removeTenant: (tenant, { data }) =>
      tenantLocks.run(tenant.id, async () => {
        const none = emptyRecord(tenant);
        // Records first that nothing of it is to run: a manager killed here does not start it again.
        if (await records.read(tenant.id).catch(() => none)) await records.write(none);
        await units.follow(none);
        await jobs.endAll(tenant);
        units.forget(tenant);
        await logs.remove(tenant);
        await imports.clear(tenant, { data });
        if (data) await rm(dataDirectory(tenant), { recursive: true, force: true });
        await records.remove(tenant.id);
      }),
  };
}
