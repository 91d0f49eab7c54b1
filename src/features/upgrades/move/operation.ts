import { z } from 'zod';
import { databaseKinds } from '../../../adapters/databases/tenant-database.ts';
import { siteRecord } from '../../../adapters/proxies/site-record.ts';
import { type Runtime, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { messageOf } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import { deployedRelease, type LiveRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { type MovesDeps, type Origin, staysOnSharedServer } from './move.ts';

const moveInput = z.object({
  /** Where the data will be. */
  database: z.enum(databaseKinds).nullable(),
  createdBy: z.string(),
});
export type MoveInput = z.output<typeof moveInput>;

const moveState = z.object({
  /** Whether the services ran before and must run again. */
  ran: z.boolean().optional(),
  backupId: z.string().optional(),
  /** The database here is this move's: false while it is being created. */
  madeDatabase: z.boolean().optional(),
  environment: z.object({ path: z.string(), backup: z.string().nullable() }).optional(),
  siteBefore: siteRecord.nullable().optional(),
});
type MoveState = z.output<typeof moveState>;
type Context = StepContext<MoveInput, MoveState>;

async function stop(runtime: Runtime, tenant: Tenant): Promise<void> {
  for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
}

/**
 * A move: builds the release here, stops the services at the origin, copies database and files by a backup, and starts the
 * services here. What is at the origin stays there, stopped; a later failure starts it again.
 */
export function moveOperation(deps: MovesDeps & { origin: Origin }): OperationDefinition<MoveInput, MoveState> {
  const { origin, runtime, tenants, configs, databaseOf, backups, sites, proveHealthy, healthTimeoutMs } = deps;
  const { parts } = deps.deployments;
  const createBackup = backups.backUpFrom(origin);
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);
  /** The tenant as it will be here. */
  async function movedOf(context: Context): Promise<Tenant & { deployed: LiveRelease }> {
    const tenant = await tenantOf(context);
    return { ...tenant, deployed: { ...deployedRelease(tenant), database: context.input.database } };
  }

  /** Removes what the move has made here. */
  async function removeHere(context: Context): Promise<void> {
    const space = spaceOf(await tenantOf(context));
    await runtime.rollback(space, context);
    await runtime.removeTenant(space, { data: true });
  }

  return {
    kind: 'move',
    steps: [
      {
        name: 'Install dependencies',
        async run(context) {
          await parts.assertDiskSpace();
          await parts.build(await tenantOf(context), (await movedOf(context)).deployed, context);
          return undefined;
        },
      },
      {
        name: 'Stop services',
        async run(context) {
          const tenant = await tenantOf(context);
          if (context.state.ran === undefined) {
            const units = unitRoles.map((role) => origin.runtime.inspect({ tenant: spaceOf(tenant), role }));
            await context.save({ ran: (await Promise.all(units)).some(({ state }) => state === 'active') });
          }
          await stop(origin.runtime, tenant);
          return undefined;
        },
        async undo(context) {
          if (!context.state.ran) return;
          const tenant = await tenantOf(context);
          for (const role of unitRoles) await origin.runtime.start({ tenant: spaceOf(tenant), role });
          // A tenant that was unhealthy before the move can't be proven healthy after it.
          if (tenant.status !== 'running') return;
          await origin.proveHealthy(tenant, deployedRelease(tenant), context, healthTimeoutMs(deployedRelease(tenant)));
          await sites.prove(tenant, deployedRelease(tenant), context, healthTimeoutMs(deployedRelease(tenant)));
        },
      },
      {
        name: 'Back up',
        async run(context) {
          const id = context.state.backupId ?? newId();
          await context.save({ backupId: id });
          await createBackup(
            await tenantOf(context),
            { kind: 'safety', id, createdBy: context.input.createdBy },
            context,
          );
          return undefined;
        },
      },
      {
        name: 'Create database',
        async skip(context) {
          const { database } = deployedRelease(await tenantOf(context));
          if (database === null) return 'the application has no database';
          return staysOnSharedServer(database, context.input.database)
            ? 'the data is on the shared server already'
            : undefined;
        },
        async run(context) {
          const moved = await movedOf(context);
          const database = await databaseOf(moved, moved.deployed.database ?? 'mariadb-shared');
          if (!context.state.madeDatabase) await context.save({ madeDatabase: false });
          await database.ensure(context);
          await context.save({ madeDatabase: true });
          await backups.fillDatabase(moved, { id: context.state.backupId ?? '' }, context);
          return undefined;
        },
        async undo(context) {
          const { database } = context.input;
          const { madeDatabase } = context.state;
          if (madeDatabase === undefined || !database) return;
          try {
            await (await databaseOf(await movedOf(context), database)).remove({ data: true });
          } catch (error) {
            if (madeDatabase) throw error;
            // Its creation failed too, most likely for the same reason.
            context.log(`Nothing was removed from the database server: ${messageOf(error)}`);
          }
        },
      },
      {
        name: 'Create services',
        async run(context) {
          const moved = await movedOf(context);
          const environment = await deps.environmentOf(moved, moved.deployed);
          // If the step runs again after a crash, the first saved copy is the one from before the move.
          await configs.writeEnvFile(moved, environment, async (kept) =>
            context.save({ environment: context.state.environment ?? kept }),
          );
          await parts.stage(moved, moved.deployed, context);
          return undefined;
        },
        async undo(context) {
          await removeHere(context);
          if (context.state.environment) await configs.restoreEnvFile(context.state.environment);
        },
      },
      {
        name: 'Restore files',
        async run(context) {
          await backups.fillFiles(await movedOf(context), { id: context.state.backupId ?? '' }, context);
          return undefined;
        },
      },
      {
        name: 'Start services',
        async run(context) {
          const moved = await movedOf(context);
          await sites.remember(moved, context);
          await parts.activate(moved, context);
          await sites.align(moved, context);
          return undefined;
        },
        async undo(context) {
          const tenant = await tenantOf(context);
          await runtime.rollback(spaceOf(tenant), context);
          // A move creates no site.
          if (context.state.siteBefore) await sites.rollBack(tenant, context);
        },
      },
      {
        name: 'Health check',
        async run(context) {
          const moved = await movedOf(context);
          const since = deps.clock.now();
          try {
            await proveHealthy(moved, moved.deployed, context, healthTimeoutMs(moved.deployed));
            await sites.prove(moved, moved.deployed, context, healthTimeoutMs(moved.deployed));
          } catch (error) {
            if (context.signal.aborted) throw error;
            const started = { release: moved.deployed, since, proxied: true };
            throw await parts.explainUnits(moved, error, context, started);
          }
          if (!context.state.ran) await stop(runtime, moved);
          return undefined;
        },
      },
    ],
    parseInput: (value) => moveInput.parse(value),
    parseState: (value) => moveState.parse(value),
    async settle(context, { outcome, error }) {
      const tenant = await tenantOf(context);
      if (outcome === 'success') {
        await tenants.recordDeployment(tenant.id, (await movedOf(context)).deployed);
        await runtime.commit(spaceOf(tenant));
        await tenants.setStatus(tenant.id, context.state.ran ? 'running' : 'stopped');
      } else if (error?.notPutBack) {
        await tenants.setStatus(tenant.id, 'error');
      }
      await deps.writeAuditLog({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'deployment',
        message: `Move from ${origin.runtime.kind} to ${runtime.kind}: ${outcome}${error ? `, ${error.message}` : ''}`,
        tenant,
        details: {
          deployment_id: context.operationId,
          backup_id: context.state.backupId ?? null,
          outcome,
          created_by: context.input.createdBy,
        },
      });
    },
  };
}
