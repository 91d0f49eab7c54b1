import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import type { Transaction } from '../../adapters/store/store.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import { mkdir, rm, rmdir } from '../../lib/files/changes.ts';
import { move } from '../../lib/files/move.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { newId } from '../../lib/ids.ts';
import type { OperationRecord } from '../../lib/operations/operation.ts';
import { type OperationHandle, operationHandle } from '../../lib/operations/operation-handle.ts';
import { deployedRelease, type Tenant } from '../tenants/tenant.ts';
import type { BackupKind, BackupsDeps } from './backup.ts';
import type { RemoveObjects } from './offsite/object-removals.ts';
import type { RemoteCopies } from './offsite/remote-copies.ts';
import { endOf } from './outcome.ts';
import { assertSameVersion, restoreState } from './restore/restore-operation.ts';
import type { RestoreParts } from './restore/restore-parts.ts';
import type { Backup, BackupStore, RemovalStore } from './store.ts';

/** After this time, the schedule removes the object. */
const removeTimeoutMs = 10_000;
const fetchTimeoutMs = 2 * 3_600_000;

export interface Restored {
  backupId: string;
  safetyId: string | null;
  durationSeconds: number;
}

export type BackupService = ReturnType<typeof createBackupService>;

/** Backups of tenants, as users request them. */
export function createBackupService(
  given: {
    rows: BackupStore;
    parts: RestoreParts;
    removals: RemovalStore;
    removeObjects: RemoveObjects;
    remote: RemoteCopies;
  },
  deps: BackupsDeps,
) {
  const { rows, parts, removals, removeObjects, remote } = given;
  const { store, engine, tenants, writeAuditLog, directory, clock } = deps;
  const inUse = new InUse();

  async function deployed(tenantId: string): Promise<Tenant> {
    const tenant = await tenants.get(tenantId);
    engine.assertIdle(tenantId);
    deployedRelease(tenant);
    return tenant;
  }

  /** @throws AppError not_found, also for another tenant's */
  async function get(tenantId: string, id: string): Promise<Backup> {
    await tenants.get(tenantId);
    const backup = await rows.find(id);
    if (backup?.tenantId !== tenantId) throw notFound('backup', id);
    return backup;
  }

  /** Removes the file, then the row, and schedules the removal of its object in the bucket. @returns false if it is in use */
  async function discard(backup: Backup): Promise<boolean> {
    if (inUse.has(backup.id)) return false;
    await remote.abort(backup.id);
    // Marked first: a complete row must never point to a missing file.
    await rows.update(backup.id, { status: 'failed', error: 'The deletion was interrupted: delete it again' });
    await rm(join(directory, backup.file), { force: true });
    // The upload may have updated the row in the meantime.
    const found = await rows.find(backup.id);
    await store.transaction(async (transaction) => {
      if (found) await noteRemoval(found, transaction);
      await rows.remove(backup.id, transaction);
    });
    return true;
  }

  /** Schedules the removal of an object that may be in the bucket, because the service may be unavailable now. */
  async function noteRemoval({ id, remoteKey: key, remotePlace: place }: Backup, transaction?: Transaction) {
    if (key && place) await removals.add({ id, key, place, createdAt: clock.now() }, transaction);
  }

  /** Starts an operation that reads a backup, and protects the backup from deletion until the operation has ended. */
  async function startWith(
    { id: backupId }: Backup,
    [kind, what]: [kind: string, what: string],
    tenant: Tenant,
    input: object,
    actor: Actor,
  ): Promise<OperationHandle<OperationRecord>> {
    const release = inUse.hold(backupId);
    try {
      const { id } = await engine.submit(kind, tenant.id, { backupId, createdBy: actor.username, ...input });
      const work = operationHandle(id, endOf(engine, id, what).finally(release));
      await audit(tenant, actor, `requested a ${what}`, { backup_id: backupId, deployment_id: id });
      return work;
    } catch (error) {
      release();
      throw error;
    }
  }

  const audit = (
    tenant: Tenant,
    actor: Actor,
    message: string,
    details: Record<string, unknown>,
    topic?: 'backup',
  ): Promise<void> =>
    writeAuditLog({
      level: 'info',
      category: 'audit',
      ...(topic ? { topic } : {}),
      message: `${actor.username} ${message}`,
      tenant,
      details: { user_id: actor.userId, username: actor.username, ...details },
    });

  return {
    /**
     * @param options.id of the operation, chosen by the caller
     * @throws AppError not_found, not_deployed, operation_in_progress, insufficient_storage, tenant_error
     */
    async create(
      tenantId: string,
      kind: BackupKind,
      actor: Actor,
      options: { id?: string } = {},
    ): Promise<OperationHandle<Backup>> {
      const tenant = await deployed(tenantId);
      const id = newId();
      const operation = await engine.submit(
        'backup',
        tenantId,
        { kind, id, createdBy: actor.username },
        {},
        options.id,
      );
      const made = endOf(engine, operation.id, 'backup').then(() => get(tenantId, id));
      const work = operationHandle(operation.id, made);
      await audit(tenant, actor, 'requested a backup', { backup_id: id, deployment_id: operation.id });
      return work;
    },

    async list(tenantId: string, filter: { kind?: BackupKind | undefined }, paging: Paging): Promise<Page<Backup>> {
      await tenants.get(tenantId);
      return rows.list(tenantId, filter, paging);
    },

    get,
    pathOf: (backup: Backup): string => join(directory, backup.file),

    /** The path of a complete backup's file, downloaded from the bucket if it is missing. @throws AppError invalid_state */
    async fileOf(backup: Backup): Promise<string> {
      if (backup.status !== 'complete') throw new AppError('invalid_state', `The backup is ${backup.status}`);
      const release = inUse.hold(backup.id);
      try {
        await remote.fetchIfMissing(backup, AbortSignal.timeout(fetchTimeoutMs));
      } catch (error) {
        throw error instanceof AppError ? error : new AppError('invalid_state', messageOf(error), { cause: error });
      } finally {
        release();
      }
      return join(directory, backup.file);
    },

    /** @throws AppError not_found, not_deployed, invalid_state, operation_in_progress, insufficient_storage, tenant_error */
    async restore(
      tenantId: string,
      id: string,
      options: { targetTenantId?: string | undefined; allowVersionMismatch: boolean; withoutSafetyBackup: boolean },
      actor: Actor,
    ): Promise<OperationHandle<Restored>> {
      const { targetTenantId = tenantId, ...input } = options;
      const backup = await get(tenantId, id);
      const target = await deployed(targetTenantId);
      assertSameVersion(backup, target, input.allowVersionMismatch);
      await parts.assertFits(backup, target);
      const began = performance.now();
      const work = await startWith(backup, ['restore', 'restore'], target, input, actor);
      const restored = work.done.then(({ state }) => ({
        backupId: id,
        safetyId: restoreState.parse(state).safetyId ?? null,
        durationSeconds: Math.round((performance.now() - began) / 100) / 10,
      }));
      return operationHandle(work.id, restored);
    },

    /**
     * Loads a backup into a scratch database, compares the row counts and saves the result with the backup.
     * @throws AppError not_found, not_deployed, operation_in_progress; if the backup can't be judged (an earlier result stays):
     * runtime_unavailable, database_unavailable, insufficient_storage, invalid_state
     */
    async drill(tenantId: string, id: string, actor: Actor): Promise<OperationHandle<Backup>> {
      const backup = await get(tenantId, id);
      const work = await startWith(backup, ['drill', 'restore drill'], await deployed(tenantId), {}, actor);
      return operationHandle(
        work.id,
        work.done.then(() => get(tenantId, id)),
      );
    },

    /** Confirms that a backup may hold less than the one before. @throws AppError not_found, invalid_state if it has lost nothing */
    async confirmLoss(tenantId: string, id: string, actor: Actor): Promise<Backup> {
      const backup = await get(tenantId, id);
      if (!backup.loss) throw new AppError('invalid_state', `The backup ${id} has lost nothing that must be confirmed`);
      if (backup.loss.confirmedBy === null) {
        await rows.update(id, { loss: { ...backup.loss, confirmedBy: actor.username } });
        await audit(await tenants.get(tenantId), actor, 'confirmed the loss in a backup', { backup_id: id }, 'backup');
      }
      return get(tenantId, id);
    },

    /** @throws AppError not_found, invalid_state while it is in use */
    async remove(tenantId: string, id: string, actor: Actor): Promise<void> {
      const backup = await get(tenantId, id);
      // An operation may be reading it or may roll back to it, including one that was resumed after a crash.
      engine.assertIdle(tenantId);
      if (backup.status === 'creating') throw new AppError('invalid_state', `The backup ${id} is being made`);
      if (!(await discard(backup))) throw new AppError('invalid_state', `The backup ${id} is in use`);
      await removeObjects(AbortSignal.timeout(removeTimeoutMs), { ids: [id] });
      await audit(
        await tenants.get(tenantId),
        actor,
        'deleted a backup',
        { backup_id: id, kind: backup.kind },
        'backup',
      );
    },

    discard,

    /** Removes all backups of a deleted tenant, or moves their files to a directory. The rows are removed with the tenant. */
    async leave(tenantId: string, keptIn: string | null): Promise<void> {
      for (const backup of await rows.all({ tenantId })) {
        await remote.abort(backup.id);
        // If the files are kept, so are their copies.
        if (keptIn === null) await noteRemoval((await rows.find(backup.id)) ?? backup);
        const path = join(directory, backup.file);
        if (keptIn === null) await rm(path, { force: true });
        else if (backup.status === 'complete') await moveInto(keptIn, path);
        await rmdir(dirname(path)).catch(() => undefined);
      }
    },

    /** Removes unfinished files of a killed manager. Call before operations are resumed. */
    async removeLeftovers(): Promise<void> {
      await rm(join(directory, '.work'), { recursive: true, force: true });
      for (const backup of await rows.all({ status: 'creating' })) {
        await rm(join(directory, backup.file), { force: true });
        await rows.update(backup.id, { status: 'failed', error: 'The manager was interrupted' });
      }
      // Removes only empty directories, of tenants without backups.
      for (const name of await readdir(directory).catch((): string[] => []))
        await rmdir(join(directory, name)).catch(() => undefined);
    },
  };
}

async function moveInto(directory: string, path: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await move(path, join(directory, basename(path)));
}

/** Backups that are being read and must not be deleted. */
class InUse {
  readonly #readers = new Map<string, number>();

  has(id: string): boolean {
    return this.#readers.has(id);
  }

  /** Protects a backup from deletion until the returned function is called, once. */
  hold(id: string): () => void {
    this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#readers.get(id) ?? 1) - 1;
      if (left > 0) this.#readers.set(id, left);
      else this.#readers.delete(id);
    };
  }
}
