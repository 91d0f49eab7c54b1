import { AppError } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { Step } from '../../../lib/operations/operation.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import {
  classifyFailure,
  createUnitControl,
  nameOf,
  note,
  shouldRun,
  stateAt,
  type UpgradeContext,
} from './context.ts';
import { createRollback } from './rollback.ts';
import type { UpgradeState } from './state.ts';
import type { UpgradeInput, UpgradesDeps } from './upgrade.ts';

type UpgradeStep = Step<UpgradeInput, UpgradeState>;

const untouched = (context: UpgradeContext) => stateAt(context, 'requested', 'fetched', 'prepared');

/** How long before its health check a unit may have been started, in ms. */
const startTimeMs = 5_000;

/**
 * The steps of an upgrade, each idempotent. `Prepare` does the slow work (fetch, build, stage units) while the tenant keeps
 * running; the specified steps follow in their order, and `Fetch code` and `Install dependencies` find their work done.
 */
export function upgradeSteps(deps: UpgradesDeps): UpgradeStep[] {
  const { runtime, tenants, configs, backups, sites, healthTimeoutMs } = deps;
  const { stop, start } = createUnitControl(runtime);
  const rollback = createRollback(deps);
  const { parts } = deps.deployments;
  const tenantOf = (context: UpgradeContext): Promise<Tenant> => tenants.get(context.subject);

  return [
    {
      name: 'Prepare',
      async run(context) {
        try {
          await prepare(context, await tenantOf(context));
        } catch (error) {
          if (context.signal.aborted) throw error;
          const cause = await classifyFailure(error, parts);
          if (cause instanceof AppError) await context.save({ ...untouched(context), refusal: cause.code });
          throw cause;
        }
        return undefined;
      },
      async undo(context) {
        const tenant = await tenantOf(context);
        await runtime.rollback(spaceOf(tenant), context);
        const { state } = context;
        if ('newDatabase' in state && state.newDatabase)
          await (await deps.databaseOf(tenant, state.newDatabase)).remove({ data: true });
      },
    },

    {
      name: 'Stop services',
      async run(context) {
        const tenant = await tenantOf(context);
        const state = stateAt(context, 'prepared', 'stopped');
        await context.save({ before: tenant.status, backup: null, envFile: null, ...state, stage: 'stopped' });
        await stop(tenant);
        await note(
          context,
          'Stop services',
          shouldRun(stateAt(context, 'stopped')) ? 'stopped' : 'they were already stopped',
        );
        return undefined;
      },
      undo: rollback.restartServices,
    },

    {
      name: 'Back up database',
      skip(context) {
        if (context.input.backupDb) return undefined;
        return willMigrate(context) ? undefined : 'backup_db is false, and no migration will run';
      },
      async run(context) {
        const { backupDb, createdBy } = context.input;
        const state = stateAt(context, 'stopped');
        const id = state.backup?.id ?? newId();
        await context.save({ ...state, backup: { id, path: null } });
        const kind = backupDb ? 'upgrade' : 'safety';
        const backup = await backups.createBackup(await tenantOf(context), { kind, createdBy, id }, context);
        const path = backups.pathOf(backup);
        await context.save({ ...state, backup: { id, path } });
        const why = backupDb ? '' : ' (although backup_db is false: migrations can only be rolled back with a backup)';
        await note(context, 'Back up database', `${path}${why}`);
        return undefined;
      },
    },

    {
      name: 'Fetch code',
      async run(context) {
        const tenant = await tenantOf(context);
        const state = stateAt(context, 'stopped');
        const { release } = state;
        // If the step runs again after a crash, the first saved copy is the one from before this upgrade.
        await configs.writeEnvFile(tenant, await deps.environmentOf(tenant, release), async (kept) =>
          context.save({ ...state, envFile: state.envFile ?? kept }),
        );
        await note(
          context,
          'Fetch code',
          `${release.version ?? 'the branch’s head'} at commit ${release.commit}, fetched before the services were stopped; environment written, API_KEYS contains the manager’s key`,
        );
        return undefined;
      },
      async undo(context) {
        const { state } = context;
        if ('envFile' in state && state.envFile) await configs.restoreEnvFile(state.envFile);
      },
    },

    {
      name: 'Install dependencies',
      async run(context) {
        await parts.build(await tenantOf(context), stateAt(context, 'stopped').release, context);
        await note(context, 'Install dependencies', 'installed before the services were stopped');
        return undefined;
      },
    },

    {
      name: 'Run migrations',
      skip(context) {
        if (!context.input.runMigrations) return 'run_migrations is false';
        return stateAt(context, 'stopped', 'migrating', 'migrated').hasMigrations ? undefined : 'this version has none';
      },
      async run(context) {
        const state = stateAt(context, 'stopped', 'migrating', 'migrated');
        const restores = willMigrate(context) ? state.backup : null;
        await context.save({ ...state, stage: 'migrating', restores });
        const migrationsRun = await parts.migrate(await tenantOf(context), state.release, context);
        await context.save({ ...stateAt(context, 'migrating'), stage: 'migrated', migrationsRun });
        await note(context, 'Run migrations', `${migrationsRun.length} scripts run`);
        return undefined;
      },
      undo: rollback.restoreData,
    },

    {
      name: 'Start services',
      async run(context) {
        const tenant = await tenantOf(context);
        const state = stateAt(context, 'stopped', 'migrated', 'started');
        await context.save({ restores: null, migrationsRun: [], ...state, stage: 'started' });
        await parts.activate(tenant, context);
        await sites.align({ ...tenant, deployed: state.release }, context);
        await note(context, 'Start services', `started at ${nameOf(state.release)}`);
        return undefined;
      },
      async undo(context) {
        const tenant = await tenantOf(context);
        await runtime.rollback(spaceOf(tenant), context);
        await sites.align(tenant, context);
      },
    },

    {
      name: 'Health check',
      async run(context) {
        const tenant = await tenantOf(context);
        const since = new Date(deps.clock.now().getTime() - startTimeMs);
        const state = stateAt(context, 'started');
        // Before a crash, this step may have stopped the services.
        if (!shouldRun(state)) await start(tenant);
        try {
          await deps.proveHealthy(tenant, state.release, context, healthTimeoutMs(state.release));
          await sites.prove(tenant, state.release, context, healthTimeoutMs(state.release));
          await deps.proveUserSteps(tenant, state.release, context, { proxied: true });
        } catch (error) {
          if (context.signal.aborted) throw error;
          throw await parts.explainUnits(tenant, error, context, { release: state.release, since, proxied: true });
        }
        if (!shouldRun(state)) await stop(tenant);
        await note(context, 'Health check', shouldRun(state) ? 'healthy' : 'healthy; stopped again, as before');
        return undefined;
      },
    },
  ];

  async function prepare(context: UpgradeContext, tenant: Tenant): Promise<void> {
    const deployed = deployedRelease(tenant);
    await deps.deployments.lostData.assertPresent(tenant, context.signal);
    if (deployed.commit !== context.input.previous.commit)
      throw new AppError('invalid_state', `Another version of ${tenant.slug} was deployed in the meantime; try again`);
    await parts.copy(tenant, context.input.target.version, {
      log: context.log,
      signal: context.signal,
      save({ release, manifest }) {
        const fetched = { release, hasMigrations: (manifest.migrations?.scripts.length ?? 0) > 0 };
        const state = untouched(context);
        // A database that was created before a crash must stay known.
        return context.save(
          state.stage === 'prepared' ? { ...state, ...fetched } : { ...state, ...fetched, stage: 'fetched' },
        );
      },
    });
    const { release, hasMigrations } = stateAt(context, 'fetched', 'prepared');
    // A rollback loads the backup next to the changed data.
    if (context.input.runMigrations && hasMigrations && deployed.database !== null) await backups.assertRoom(tenant);
    await parts.build(tenant, release, context);
    const newDatabase = deployed.database === null ? release.database : null;
    await context.save({ ...stateAt(context, 'fetched', 'prepared'), stage: 'prepared', newDatabase });
    if (release.database) await (await deps.databaseOf(tenant, release.database)).ensure(context);
    await parts.stage(tenant, release, context);
    await note(context, 'Prepare', `${nameOf(release)} is fetched and built while ${tenant.slug} kept running`);
  }

  /** Whether migrations will run on existing data, so that a rollback needs a backup. */
  function willMigrate(context: UpgradeContext): boolean {
    const state = stateAt(context, 'stopped', 'migrating', 'migrated');
    const { release, hasMigrations, newDatabase } = state;
    return context.input.runMigrations && hasMigrations && release.database !== null && newDatabase === null;
  }
}
