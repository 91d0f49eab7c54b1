import { allOrAbort } from '../../lib/concurrency/all-or-abort.ts';
import { mkdir, rm } from '../../lib/files/changes.ts';
import type { Step, StepContext } from '../../lib/operations/operation.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { DeploymentInput, DeploymentState, DeploymentsDeps } from './operation.ts';
import { type StepName, skipReason, stepNames } from './plan.ts';
import { runMigrations } from './release/migrations.ts';
import type { ReleaseCopies } from './release/release-copies.ts';
import type { ReleaseWork } from './release/release-work.ts';
import { wantedBy } from './target.ts';

type Context = StepContext<DeploymentInput, DeploymentState>;
type DeploymentStep = Step<DeploymentInput, DeploymentState>;

/** How long before its health check a unit may have been started, in ms. */
const startTimeMs = 5_000;

/** The nine steps of a deployment, each idempotent, in the order of `stepNames`. */
export function deploymentSteps(deps: DeploymentsDeps, copies: ReleaseCopies, releases: ReleaseWork): DeploymentStep[] {
  const { runtime, tenants, configs, databaseOf, sites, healthTimeoutMs } = deps;
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);

  const bodies: Record<StepName, Omit<DeploymentStep, 'name' | 'skip'>> = {
    'Copy files': {
      async run(context) {
        const tenant = await tenantOf(context);
        if (!context.input.accept_data_loss) await deps.lostData.assertPresent(tenant, context.signal);
        await context.save({ madeDirectory: context.state.madeDirectory ?? tenant.deployed === null });
        await mkdir(tenant.directory, { recursive: true, mode: 0o700 });
        await copies.copy(tenant, wantedBy(context.input), context);
      },
      async undo(context) {
        if (!context.state.madeDirectory) return;
        await rm((await tenantOf(context)).directory, { recursive: true, force: true });
      },
    },

    'Install dependencies': {
      async run(context) {
        const { release, manifest } = prepared(context);
        await releases.build(await tenantOf(context), release, manifest, context);
      },
    },

    'Generate environment': {
      async run(context) {
        const tenant = await withFreePorts(context);
        const values = await deps.environmentOf(tenant, prepared(context).release);
        await configs.writeEnvFile(tenant, values, async (kept) => {
          // If the step runs again after a crash, the first saved copy is the one from before this deployment.
          await context.save({ environment: context.state.environment ?? kept });
        });
        // Without the path, because viewers can read this log.
        context.log('Environment written');
      },
      async undo(context) {
        if (context.state.environment) await configs.restoreEnvFile(context.state.environment);
      },
    },

    'Initialize database': {
      async run(context) {
        const tenant = await tenantOf(context);
        const { release, manifest } = prepared(context);
        const database = release.database && (await databaseOf(tenant, release.database));
        if (database) await context.save({ madeDatabase: context.state.madeDatabase ?? tenant.deployed === null });
        const units = await releases.unitsOf(tenant, release);
        await allOrAbort(context.signal, (signal) => {
          const work = { log: context.log, signal };
          const ready = database?.ensure(work) ?? Promise.resolve();
          const { migrations } = manifest;
          return migrations ? [ready, runMigrations(units, migrations, { runtime, ready }, work)] : [ready];
        });
      },
      async undo(context) {
        const tenant = await tenantOf(context);
        const database = context.state.release?.database;
        if (context.state.madeDatabase && database) await (await databaseOf(tenant, database)).remove({ data: true });
        await removeUndeployed(tenant);
      },
    },

    'Create service-manager services': {
      async run(context) {
        await releases.stage(await tenantOf(context), prepared(context).release, context);
      },
      undo: rollBack,
    },

    'Configure proxy': {
      async run(context) {
        const keepUpstreams = !context.input.skip_services;
        await sites.configure(await tenantOf(context), context, { keepUpstreams });
      },
      async undo(context) {
        await sites.rollBack(await tenantOf(context), context);
      },
    },

    'Setup SSL': {
      run: async (context) => sites.secure(await tenantOf(context), context),
    },

    'Start services': {
      async run(context) {
        const tenant = await tenantOf(context);
        await releases.activate(tenant, context);
        if (!context.input.skip_proxy) await sites.align({ ...tenant, deployed: prepared(context).release }, context);
      },
      undo: rollBack,
    },

    'Health check': {
      async run(context) {
        const tenant = await tenantOf(context);
        const since = new Date(deps.clock.now().getTime() - startTimeMs);
        const { release } = prepared(context);
        const proxied = !context.input.skip_proxy;
        try {
          await deps.proveHealthy(tenant, release, context, healthTimeoutMs(release));
          if (proxied) await sites.prove(tenant, release, context, healthTimeoutMs(release));
          await deps.proveUserSteps(tenant, release, context, { proxied });
        } catch (error) {
          if (context.signal.aborted) throw error;
          throw await releases.explainUnits(tenant, error, context, { release, since, proxied });
        }
      },
    },
  };

  /** Before a first deployment, ports that another process has taken are replaced. */
  async function withFreePorts(context: Context): Promise<Tenant> {
    const tenant = await tenantOf(context);
    const replaced = tenant.deployed === null ? await tenants.replaceTakenPorts(tenant.id) : undefined;
    if (!replaced) return tenant;
    const { taken, pair } = replaced;
    const holder = await runtime.portHolder?.(taken).catch(() => undefined);
    context.log(
      `Port ${taken} is in use by ${holder?.name ?? 'another process'}; ` +
        `the tenant now has ${pair.frontend} (frontend) and ${pair.backend} (api)`,
    );
    return tenantOf(context);
  }

  async function rollBack(context: Context): Promise<void> {
    const tenant = await tenantOf(context);
    await runtime.rollback(spaceOf(tenant), context);
    await removeUndeployed(tenant);
  }

  /** Undoing the first deployment also removes the volumes and networks made for units and migrations. */
  async function removeUndeployed(tenant: Tenant): Promise<void> {
    if (tenant.deployed === null) await runtime.removeTenant(spaceOf(tenant), { data: true });
  }

  return stepNames.map((name) => ({
    name,
    skip: (context) => skipReason(name, context.input, deps.proxy),
    ...bodies[name],
  }));
}

function prepared(context: Context): { release: LiveRelease; manifest: NonNullable<DeploymentState['manifest']> } {
  const { release, manifest } = context.state;
  if (!release || !manifest) throw new Error('The files have not been copied');
  return { release, manifest };
}
