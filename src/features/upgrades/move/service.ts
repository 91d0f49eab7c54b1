import type { DatabaseKind } from '../../../adapters/databases/tenant-database.ts';
import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { type Runtime, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { type OperationHandle, operationHandle } from '../../../lib/operations/operation-handle.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { type MovePlan, type MovesDeps, type Origin, staysOnSharedServer } from './move.ts';
import type { MoveInput } from './operation.ts';

const checkTimeoutMs = 10_000;

export type MoveService = ReturnType<typeof createMoveService>;

/** Moves of tenants, as administrators request them. */
export function createMoveService(deps: MovesDeps) {
  const { engine, tenants, runtime, chooseDatabase, writeAuditLog } = deps;

  function originHere(): Origin {
    if (deps.origin) return deps.origin;
    throw new AppError(
      'invalid_state',
      'MOVE_FROM_ENGINE is not set: it names the Docker engine from which tenants are moved',
    );
  }

  async function plan(tenantId: string): Promise<MovePlan> {
    const origin = originHere();
    const tenant = await tenants.get(tenantId);
    const release = deployedRelease(tenant);
    const unit = { tenant: spaceOf(tenant), role: 'api' } as const;
    const problems: string[] = [];
    for (const place of [origin.runtime, runtime]) {
      const answer = await place.availability();
      if (!answer.available) throw new AppError('runtime_unavailable', answer.reason);
    }
    const [there, here] = [await origin.runtime.inspect(unit), await runtime.inspect(unit)];
    if (there.commit !== release.commit)
      problems.push(
        `${tenant.slug} is not on ${origin.runtime.kind} at its deployed commit: it may have been moved already`,
      );
    if (here.commit !== null) problems.push(`${tenant.slug} has units on ${runtime.kind} already`);
    return {
      from: origin.runtime.kind,
      to: runtime.kind,
      version: release.version,
      commit: release.commit,
      running: there.state === 'active',
      atOrigin: await isAt(origin.runtime, tenant),
      database: release.database && (await planDatabase(tenant, release.database, origin, problems)),
      problems,
    };
  }

  /** Volumes are removed last. With a Swarm of the same engine, its tasks have the tenant's label, too, but no such name. */
  async function isAt({ list }: Runtime, { id, slug }: Tenant): Promise<boolean> {
    const units = unitRoles.map((role) => `${slug}-${role}`);
    return (await list()).some(
      ({ kind, name, tenantId }) =>
        tenantId === id && (kind === 'volume' || kind === 'database' || (kind === 'unit' && units.includes(name))),
    );
  }

  async function planDatabase(tenant: Tenant, from: DatabaseKind, origin: Origin, problems: string[]) {
    const database = await origin.databaseOf(tenant, from);
    const { size_mb: sizeMb, error } = await database.check({ timeoutMs: checkTimeoutMs });
    if (error) problems.push(`Its database does not answer: ${error}`);
    let to: DatabaseKind | null = null;
    try {
      to = chooseDatabase([database.engine], null);
    } catch (impossible) {
      problems.push(messageOf(impossible));
    }
    return { from, to, copied: !staysOnSharedServer(from, to), sizeMb };
  }

  return {
    /** @throws AppError not_found, not_deployed, invalid_state without an origin, runtime_unavailable */
    plan,

    /** @throws AppError as `plan`; invalid_state with the first problem of the plan; operation_in_progress */
    async move(tenantId: string, actor: Actor): Promise<OperationHandle<void>> {
      engine.assertIdle(tenantId);
      const { problems, database } = await plan(tenantId);
      if (problems[0] !== undefined) throw new AppError('invalid_state', problems.join('; '));
      const tenant = await tenants.get(tenantId);
      const input: MoveInput = { database: database?.to ?? null, createdBy: actor.username };
      const { id } = await engine.submit('move', tenantId, input);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${actor.username} requested a move to ${runtime.kind}`,
        tenant,
        details: { user_id: actor.userId, username: actor.username, deployment_id: id },
      });
      return operationHandle(id, ended(id));
    },

    /**
     * Removes what a moved tenant left at its origin: containers, volumes and its own database server.
     * @throws AppError invalid_state if the tenant does not run here; operation_in_progress
     */
    async removeLeftovers(tenantId: string, actor: Actor): Promise<void> {
      const origin = originHere();
      const tenant = await tenants.get(tenantId);
      const release = deployedRelease(tenant);
      const { commit } = await runtime.inspect({ tenant: spaceOf(tenant), role: 'api' });
      if (commit !== release.commit)
        throw new AppError('invalid_state', `${tenant.slug} has not been moved to ${runtime.kind}`);
      await engine.exclusive(tenantId, 'move', async () => {
        if (release.database !== 'mariadb-container') {
          const { databaseServers } = origin.runtime;
          await databaseServers?.remove(spaceOf(tenant), { data: true });
        }
        await origin.runtime.removeTenant(spaceOf(tenant), { data: true });
      });
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        topic: 'deployment',
        message: `${actor.username} removed what the move left on ${origin.runtime.kind}`,
        tenant,
        details: { user_id: actor.userId, username: actor.username },
      });
    },
  };

  async function ended(id: string): Promise<void> {
    const record = await engine.ended(id)?.catch(() => undefined);
    if (!record)
      throw new AppError('shutting_down', `The manager is stopping; it resumes the move (${id}) after its restart`);
    if (record.status === 'success') return;
    const reason = record.error?.message ?? record.status;
    throw new AppError(record.status === 'cancelled' ? 'invalid_state' : 'tenant_error', `The move failed: ${reason}`);
  }
}
