import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../lib/errors.ts';
import { removeCutOffWrites } from '../../../lib/files/atomic-file.ts';
import { chmod, mkdir } from '../../../lib/files/changes.ts';
import { commit, rollBack } from '../life-cycle.ts';
import { processOnPort } from '../port-holder.ts';
import type {
  Runtime,
  RuntimeImportFiles,
  RuntimeJobs,
  TenantSpace,
  UnitRef,
  UnitRole,
  UnitState,
} from '../runtime.ts';
import { unitName } from '../unit-name.ts';
import {
  activated,
  changed,
  emptyRecord,
  type Generation,
  generationsOf,
  hasPendingChange,
  isSameSpec,
  staged,
  type TenantRecord,
  wanting,
} from './generations.ts';
import type { TenantRecords } from './records.ts';
import { createReleases, type ReleaseSteps } from './releases.ts';

/** Where the systems differ: how units are run, who owns their files, and how lines of the repository are run. */
export interface UnitSystem
  extends RuntimeJobs,
    RuntimeImportFiles,
    Pick<Runtime, 'availability' | 'open' | 'close' | 'paths' | 'usage' | 'logs' | 'data' | 'list'> {
  readonly kind: 'process' | 'systemd';
  readonly releases: ReleaseSteps;
  /** Creates what a tenant's units need on this machine. */
  ensure(tenant: TenantSpace): Promise<unknown>;
  /** Prepares the files of the generation just staged; returns the record to be written. */
  stage(record: TenantRecord, role: UnitRole, signal: AbortSignal): Promise<TenantRecord>;
  /** Whether what is installed equals what would be generated now. */
  isCurrent(live: Generation): Promise<boolean>;
  /** Runs of both units (or of one role) what the record says; `restart` also restarts running ones. */
  follow(record: TenantRecord, options?: { roles: readonly UnitRole[]; start: 'now' | 'restart' }): Promise<void>;
  inspect(unit: UnitRef, live: Generation | undefined): Promise<UnitState>;
  /** Removes the files of generations that are not in the record. */
  prune(record: TenantRecord): Promise<void>;
  /** Ends and removes everything of a tenant but its record, which says that nothing of it is to run. */
  removeTenant(tenant: TenantSpace, options: { data: boolean }): Promise<void>;
}

/**
 * A runtime without an engine that keeps state: the generations are recorded here, and the system follows the record.
 * @param directory the runtime's own (absolute): its records, mode 0700
 */
export function createRecordedRuntime(directory: string, records: TenantRecords, system: UnitSystem): Runtime {
  const { kind } = system;
  const releases = createReleases(join(directory, 'releases'), system.releases);
  const tenantLocks = new KeyedLock();

  const unitOf = async ({ tenant, role }: UnitRef) => (await records.read(tenant.id))?.units[role];

  /** Records what `change` makes of a tenant's record, then lets the system follow. */
  function changeTo(
    tenant: TenantSpace,
    change: (record: TenantRecord) => TenantRecord | Promise<TenantRecord>,
    follow = true,
  ): Promise<void> {
    return tenantLocks.run(tenant.id, async () => {
      const record = await change((await records.read(tenant.id)) ?? emptyRecord(tenant));
      await records.write(record);
      if (follow) await system.follow(record);
      await system.prune(record);
    });
  }

  /** Like `changeTo` for one unit's desired state; the other unit is not touched. */
  function want({ tenant, role }: UnitRef, wanted: Generation['wanted'], start: 'now' | 'restart' = 'now') {
    return tenantLocks.run(tenant.id, async () => {
      const record = await records.read(tenant.id);
      if (!record?.units[role].live) {
        if (wanted === 'stopped') return;
        throw new AppError('not_deployed', `${unitName(tenant.slug, role)} has not been deployed`);
      }
      const next = wanting(record, role, wanted);
      await records.write(next);
      await system.follow(next, { roles: [role], start });
    });
  }

  return {
    kind,
    needs: 'start',
    databaseServers: undefined,

    availability: system.availability,
    async open() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await chmod(directory, 0o700);
      await removeCutOffWrites(join(directory, 'releases'));
      await removeCutOffWrites(join(directory, 'tenants'), { depth: 1 });
      await system.open();
    },
    close: system.close,

    async freeSpace() {
      const { bavail, bsize } = await statfs(directory).catch(() => statfs(dirname(directory)));
      return [{ bytes: bavail * bsize, place: directory }];
    },
    prepareRelease: releases.prepare,
    hasRelease: releases.has,
    removeReleasesExcept: async (keys) => releases.removeExcept(new Set([...keys, ...(await records.releaseKeys())])),

    paths: system.paths,

    async stage(spec, work) {
      work.signal.throwIfAborted();
      if (spec.definition.start === undefined)
        throw new Error(`units.${spec.role}.start is missing in tenant.yaml: the ${kind} runtime needs it`);
      if (!(await releases.has(spec.release.key))) throw new Error(`Release ${spec.release.key} has not been prepared`);
      await system.ensure(spec.tenant);
      await changeTo(spec.tenant, (record) => system.stage(staged(record, spec), spec.role, work.signal), false);
      work.log(`Staged ${unitName(spec.tenant.slug, spec.role)} at ${spec.release.commit}`);
    },
    async isLive(spec) {
      const live = (await unitOf(spec))?.live;
      return live !== undefined && isSameSpec(live.spec, spec) && system.isCurrent(live);
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
      if (await records.read(tenant.id)) await changeTo(tenant, (record) => changed(record, commit), false);
    },
    async rollback(tenant, work) {
      if (!(await records.read(tenant.id))) return;
      await changeTo(tenant, (record) => changed(record, rollBack));
      work.log(`Rolled ${tenant.slug} back to its former state`);
    },
    async pendingChanges() {
      const found = await Promise.all((await records.tenantIds()).map((id) => records.read(id)));
      return found.flatMap((record) => (record && hasPendingChange(record) ? [record.tenant.id] : []));
    },

    start: (unit) => want(unit, 'running'),
    stop: (unit) => want(unit, 'stopped'),
    restart: (unit) => want(unit, 'running', 'restart'),
    async inspect(unit) {
      const live = (await unitOf(unit))?.live;
      return { ...(await system.inspect(unit, live)), generation: live?.id };
    },
    usage: system.usage,
    logs: system.logs,
    runJob: system.runJob,
    // Its current port: the tenant's port may have changed since it was started. With a damaged record: the tenant's port.
    async address(unit, hostPort) {
      const found = await unitOf(unit).catch(() => undefined);
      return { host: '127.0.0.1', port: found?.live?.spec.hostPort ?? hostPort };
    },
    async proxyAddress(unit, hostPort) {
      const found = await unitOf(unit).catch(() => undefined);
      return { host: '127.0.0.1', port: (found?.staged ?? found?.live)?.spec.hostPort ?? hostPort };
    },

    putImportFile: system.putImportFile,
    removeImportFile: system.removeImportFile,
    data: system.data,

    portHolder: processOnPort,
    list: system.list,
    removeTenant: (tenant, options) =>
      tenantLocks.run(tenant.id, async () => {
        const none = emptyRecord(tenant);
        // Records first that nothing of it is to run: a manager killed here does not start it again.
        if (await records.read(tenant.id).catch(() => none)) await records.write(none);
        await system.removeTenant(tenant, options);
        await records.remove(tenant.id);
      }),
  };
}
