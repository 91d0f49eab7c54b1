import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Step, StepContext } from '../../kernel/operations/operation.ts';
import { unitRoles } from '../../platform/runtime/runtime.ts';
import { deployedRelease, type LiveRelease, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { UpgradeDependencies, Work } from './dependencies.ts';
import type { UpgradeInput, UpgradeState } from './upgrade.ts';

type Context = StepContext<UpgradeInput, UpgradeState>;
type UpgradeStep = Step<UpgradeInput, UpgradeState>;

/**
 * The steps of an upgrade, each idempotent. All that is slow (fetching, building, making units) is prepared while the tenant still
 * serves; then come the specified ones in their order, of which those two find their work done.
 */
export function upgradeSteps(dependencies: UpgradeDependencies): UpgradeStep[] {
  const { runtime, tenants, environment, backups, sites, healthTimeoutMs } = dependencies;
  const { parts } = dependencies.deployments;
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);

  return [
    {
      name: 'Prepare',
      async run(context) {
        try {
          await prepare(context, await tenantOf(context));
        } catch (error) {
          if (error instanceof AppError && !context.signal.aborted) await context.save({ refusal: error.code });
          throw error;
        }
        return undefined;
      },
      async undo(context) {
        const tenant = await tenantOf(context);
        await runtime.revert(spaceOf(tenant), context);
        const database = context.state.release?.database;
        if (context.state.madeDatabase && database)
          await (await dependencies.databaseOf(tenant, database)).remove({ data: true });
      },
    },

    {
      name: 'Stop services',
      async run(context) {
        const tenant = await tenantOf(context);
        await context.save({ before: context.state.before ?? tenant.status });
        await stop(tenant);
        await note(context, 'Stop services', isToRun(context) ? 'stopped' : 'they were stopped already');
        return undefined;
      },
      undo: startAgain,
    },

    {
      name: 'Back up database',
      skip(context) {
        if (context.input.backupDb) return undefined;
        return willMigrate(context) ? undefined : 'backup_db is false, and no migration will run';
      },
      async run(context) {
        const { backupDb, createdBy } = context.input;
        const id = context.state.backup?.id ?? newId();
        await context.save({ backup: { id, path: null } });
        const kind = backupDb ? 'upgrade' : 'safety';
        const { path } = await backups.create(await tenantOf(context), { kind, createdBy, id }, context);
        await context.save({ backup: { id, path } });
        const why = backupDb ? '' : ' (though backup_db is false: without it migrations could not be taken back)';
        await note(context, 'Back up database', `${path}${why}`);
        return undefined;
      },
    },

    {
      name: 'Fetch code',
      async run(context) {
        const tenant = await tenantOf(context);
        const release = prepared(context);
        // Written again after a crash: the first copy kept is the one from before this upgrade.
        await environment.write(tenant, await environment.of(tenant, release), async (kept) =>
          context.save({ environment: context.state.environment ?? kept }),
        );
        await note(
          context,
          'Fetch code',
          `${release.version ?? 'the branch’s head'} at commit ${release.commit}, fetched before the services were stopped; environment written, API_KEYS holds the manager’s key`,
        );
        return undefined;
      },
      async undo(context) {
        if (context.state.environment) await environment.restore(context.state.environment);
      },
    },

    {
      name: 'Install dependencies',
      async run(context) {
        await parts.build(prepared(context), context);
        await note(context, 'Install dependencies', 'installed before the services were stopped');
        return undefined;
      },
    },

    {
      name: 'Run migrations',
      skip(context) {
        if (!context.input.runMigrations) return 'run_migrations is false';
        return context.state.scripts === 0 ? 'this version has none' : undefined;
      },
      async run(context) {
        await context.save({ migrating: true });
        const migrationsRun = await parts.migrate(await tenantOf(context), prepared(context), context);
        await context.save({ migrationsRun });
        await note(context, 'Run migrations', `${migrationsRun.length} scripts run`);
        return undefined;
      },
      undo: takeDataBack,
    },

    {
      name: 'Start services',
      async run(context) {
        const tenant = await tenantOf(context);
        await runtime.activate(spaceOf(tenant), context);
        await sites.align(tenant, context);
        await note(context, 'Start services', `started at ${nameOf(prepared(context))}`);
        return undefined;
      },
      async undo(context) {
        const tenant = await tenantOf(context);
        await runtime.revert(spaceOf(tenant), context);
        await sites.align(tenant, context);
      },
    },

    {
      name: 'Health check',
      async run(context) {
        const tenant = await tenantOf(context);
        // Run again after a crash it may have stopped them already.
        if (!isToRun(context)) await start(tenant);
        try {
          await proveBoth(tenant, prepared(context), context);
        } catch (error) {
          if (!context.signal.aborted) await parts.tellLastLines(tenant, context);
          throw error;
        }
        if (!isToRun(context)) await stop(tenant);
        await note(context, 'Health check', isToRun(context) ? 'healthy' : 'healthy; stopped again, as it was before');
        return undefined;
      },
    },
  ];

  async function prepare(context: Context, tenant: Tenant): Promise<void> {
    const deployed = deployedRelease(tenant);
    if (deployed.commit !== context.input.previous.commit)
      throw new AppError('invalid_state', `Another version was deployed to ${tenant.slug} meanwhile; ask again`);
    await parts.copy(tenant, context.input.target.version, {
      log: context.log,
      signal: context.signal,
      save: ({ release, manifest }) => context.save({ release, scripts: manifest.migrations?.scripts.length ?? 0 }),
    });
    const release = prepared(context);
    await parts.build(release, context);
    if (release.database) {
      await context.save({ madeDatabase: context.state.madeDatabase ?? deployed.database === null });
      await (await dependencies.databaseOf(tenant, release.database)).ensure(context);
    }
    await parts.stage(tenant, release, context);
    await note(context, 'Prepare', `${nameOf(release)} is fetched and built, ${tenant.slug} served meanwhile`);
  }

  /** Migrations will be run on data that there is: going back will need a backup. */
  function willMigrate(context: Context): boolean {
    const { release, scripts, madeDatabase } = context.state;
    return context.input.runMigrations && scripts !== 0 && release?.database != null && !madeDatabase;
  }

  async function takeDataBack(context: Context): Promise<void> {
    const { migrating, madeDatabase, backup } = context.state;
    const tenant = await tenantOf(context);
    // One that was made for this upgrade goes as a whole.
    if (!migrating || madeDatabase || !deployedRelease(tenant).database) return;
    if (!backup) throw new Error('There is no backup to go back to');
    await stop(tenant);
    await context.save({ restoring: true });
    await backups.restoreDatabase(tenant, backup, context);
    await context.save({ restoring: false });
  }

  /** The services as they were when they were stopped: those that served must prove it. */
  async function startAgain(context: Context): Promise<void> {
    const { before, restoring, backup } = context.state;
    if (restoring)
      throw new Error(`not started, as the database does not hold the data of before: restore backup ${backup?.id}`);
    if (!isToRun(context)) return;
    const tenant = await tenantOf(context);
    const release = deployedRelease(tenant);
    if (release.database) await (await dependencies.databaseOf(tenant, release.database)).ensure(context);
    await start(tenant);
    // What was broken before the upgrade can't be proven whole after it.
    if (before === 'running') await proveBoth(tenant, release, context);
  }

  async function proveBoth(tenant: Tenant, release: LiveRelease, work: Work): Promise<void> {
    await dependencies.prove(tenant, release, work, healthTimeoutMs);
    await sites.prove(tenant, release, work, healthTimeoutMs);
  }

  async function stop(tenant: Tenant): Promise<void> {
    for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
  }

  async function start(tenant: Tenant): Promise<void> {
    for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
  }
}

/** Whether the tenant is to run in the end: one that was stopped, or never started, ends so. */
const isToRun = ({ state }: Context): boolean => state.before === 'running' || state.before === 'error';

const nameOf = ({ version, commit }: LiveRelease): string => version ?? commit.slice(0, 12);

function prepared({ state }: Context): LiveRelease {
  if (!state.release) throw new Error('The version has not been prepared');
  return state.release;
}

async function note(context: Context, step: string, text: string): Promise<void> {
  await context.save({ notes: { ...context.state.notes, [step]: text } });
}
