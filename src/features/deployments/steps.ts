import { mkdir, rm } from 'node:fs/promises';
import { allOrAbort } from '../../lib/concurrency/all-or-abort.ts';
import type { Step, StepContext } from '../../lib/operations/operation.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { DeploymentDependencies } from './dependencies.ts';
import type { DeploymentInput, DeploymentState } from './operation.ts';
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
export function deploymentSteps(
  dependencies: DeploymentDependencies,
  copies: ReleaseCopies,
  releases: ReleaseWork,
): DeploymentStep[] {
  const { runtime, tenants, environment, databases } = dependencies;
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);

  const bodies: Record<StepName, Omit<DeploymentStep, 'name' | 'skip'>> = {
    'Copy files': {
      async run(context) {
        const tenant = await tenantOf(context);
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
        await releases.build(release, manifest, context);
      },
    },

    'Generate environment': {
      async run(context) {
        const tenant = await tenantOf(context);
        const values = await environment.of(tenant, prepared(context).release);
        await environment.write(tenant, values, async (kept) => {
          // Written again after a crash: the first copy kept is the one from before this deployment.
          await context.save({ environment: context.state.environment ?? kept });
        });
        // Without its path: viewers read this log.
        context.log('Environment written');
      },
      async undo(context) {
        if (context.state.environment) await environment.restore(context.state.environment);
      },
    },

    'Initialize database': {
      async run(context) {
        const tenant = await tenantOf(context);
        const { release, manifest } = prepared(context);
        const database = release.database && (await databases.of(tenant, release.database));
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
        if (context.state.madeDatabase && database) await (await databases.of(tenant, database)).remove({ data: true });
        await removeUndeployed(tenant);
      },
    },

    'Create service-manager services': {
      async run(context) {
        await releases.stage(await tenantOf(context), prepared(context).release, context);
      },
      undo: revert,
    },

    'Configure proxy': {
      async run(context) {
        const keepUpstreams = !context.input.skip_services;
        await dependencies.sites.configure(await tenantOf(context), context, { keepUpstreams });
      },
      async undo(context) {
        await dependencies.sites.rollBack(await tenantOf(context), context);
      },
    },

    'Setup SSL': {
      run: async (context) => dependencies.sites.secure(await tenantOf(context), context),
    },

    'Start services': {
      async run(context) {
        const tenant = await tenantOf(context);
        await releases.activate(tenant, context);
        if (!context.input.skip_proxy) await dependencies.sites.align(tenant, context);
      },
      undo: revert,
    },

    'Health check': {
      async run(context) {
        const tenant = await tenantOf(context);
        const since = new Date(dependencies.clock.now().getTime() - startTimeMs);
        try {
          const { release } = prepared(context);
          await dependencies.prove(tenant, release, context, dependencies.healthTimeoutMs);
          if (!context.input.skip_proxy)
            await dependencies.sites.prove(tenant, release, context, dependencies.healthTimeoutMs);
        } catch (error) {
          throw context.signal.aborted ? error : await releases.explainUnits(tenant, error, context, since);
        }
      },
    },
  };

  async function revert(context: Context): Promise<void> {
    const tenant = await tenantOf(context);
    await runtime.rollback(spaceOf(tenant), context);
    await removeUndeployed(tenant);
  }

  /** What units and migrations were given a place in goes with the tenant's first deployment; a deployed tenant's stays. */
  async function removeUndeployed(tenant: Tenant): Promise<void> {
    if (tenant.deployed === null) await runtime.removeTenant(spaceOf(tenant), { data: true });
  }

  return stepNames.map((name) => ({
    name,
    skip: (context) => skipReason(name, context.input, dependencies.proxy),
    ...bodies[name],
  }));
}

function prepared(context: Context): { release: LiveRelease; manifest: NonNullable<DeploymentState['manifest']> } {
  const { release, manifest } = context.state;
  if (!release || !manifest) throw new Error('The files have not been copied');
  return { release, manifest };
}
