import { mkdir, rm } from 'node:fs/promises';
import type { Step, StepContext } from '../../kernel/operations/operation.ts';
import { together } from '../../kernel/together.ts';
import { type UnitRole, unitRoles } from '../../platform/runtime/runtime.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { DeploymentDependencies } from './dependencies.ts';
import { runMigrations } from './migrations.ts';
import type { DeploymentInput, DeploymentState } from './operation.ts';
import { planUnits, runtimeRelease, type StepName, skipReason, stepNames } from './plan.ts';
import type { ReleaseCopies } from './release-copies.ts';

type Context = StepContext<DeploymentInput, DeploymentState>;
type DeploymentStep = Step<DeploymentInput, DeploymentState>;

/** Lines of a unit's log shown in the deployment's when its health check fails. */
const lastLines = 30;

/** The nine steps of a deployment, each idempotent, in the order of `stepNames`. */
export function deploymentSteps(dependencies: DeploymentDependencies, copies: ReleaseCopies): DeploymentStep[] {
  const { runtime, tenants, environment, databases } = dependencies;
  const tenantOf = (context: Context): Promise<Tenant> => tenants.get(context.subject);

  const bodies: Record<StepName, Omit<DeploymentStep, 'name' | 'skip'>> = {
    'Copy files': {
      async run(context) {
        const tenant = await tenantOf(context);
        await context.save({ madeDirectory: context.state.madeDirectory ?? tenant.deployed === null });
        await mkdir(tenant.directory, { recursive: true, mode: 0o700 });
        await copies.copy(tenant, context.input.target_version, context);
      },
      async undo(context) {
        if (!context.state.madeDirectory) return;
        await rm((await tenantOf(context)).directory, { recursive: true, force: true });
      },
    },

    'Install dependencies': {
      async run(context) {
        const { release, manifest } = prepared(context);
        const install = manifest.install === undefined ? {} : { install: manifest.install };
        if (await runtime.hasRelease(release.key))
          context.log(`Release ${release.commit.slice(0, 12)} is ready, shared with other tenants`);
        await runtime.prepareRelease({ ...runtimeRelease(release), units: release.units, ...install }, context);
      },
    },

    'Generate environment': {
      async run(context) {
        const tenant = await tenantOf(context);
        const values = await environment.of(tenant, prepared(context).release);
        const written = await environment.write(tenant, values, async (kept) => {
          // Written again after a crash: the first copy kept is the one from before this deployment.
          await context.save({ environment: context.state.environment ?? kept });
        });
        context.log(`Environment written to ${written.path}`);
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
        const units = await unitsOf(context);
        await together(context.signal, (signal) => {
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
        // What an earlier deployment that could not be put back left beside the live units.
        await runtime.revert(spaceOf(await tenantOf(context)), { log: () => undefined, signal: context.signal });
        for (const unit of await unitsOf(context)) {
          context.log(`${unit.tenant.slug}-${unit.role}`);
          await runtime.stage(unit, context);
        }
      },
      undo: revert,
    },

    'Configure proxy': {
      async run(context) {
        const keepUpstreams = !context.input.skip_services;
        await dependencies.sites.configure(await tenantOf(context), context, { keepUpstreams });
      },
      async undo(context) {
        await dependencies.sites.putBack(await tenantOf(context), context);
      },
    },

    'Setup SSL': {
      run: async (context) => dependencies.sites.secure(await tenantOf(context), context),
    },

    'Start services': {
      async run(context) {
        const tenant = await tenantOf(context);
        await runtime.activate(spaceOf(tenant), context);
        if (!context.input.skip_proxy) await dependencies.sites.align(tenant, context);
      },
      undo: revert,
    },

    'Health check': {
      async run(context) {
        const tenant = await tenantOf(context);
        try {
          const { release } = prepared(context);
          await dependencies.prove(tenant, release, context, dependencies.healthTimeoutMs);
          if (!context.input.skip_proxy)
            await dependencies.sites.prove(tenant, release, context, dependencies.healthTimeoutMs);
        } catch (error) {
          if (!context.signal.aborted) for (const role of unitRoles) await showLastLines(tenant, role, context);
          throw error;
        }
      },
    },
  };

  async function unitsOf(context: Context) {
    const tenant = await tenantOf(context);
    const { release } = prepared(context);
    const facts = { environment: await environment.of(tenant, release), limits: await dependencies.settings.limits() };
    return planUnits({ tenant, release, ...facts });
  }

  async function revert(context: Context): Promise<void> {
    const tenant = await tenantOf(context);
    await runtime.revert(spaceOf(tenant), context);
    await removeUndeployed(tenant);
  }

  /** What units and migrations were given a place in goes with the tenant's first deployment; a deployed tenant's stays. */
  async function removeUndeployed(tenant: Tenant): Promise<void> {
    if (tenant.deployed === null) await runtime.removeTenant(spaceOf(tenant), { data: true });
  }

  async function showLastLines(tenant: Tenant, role: UnitRole, context: Context): Promise<void> {
    const options = { lines: lastLines, follow: false, signal: context.signal };
    try {
      for await (const { message } of runtime.logs({ tenant: spaceOf(tenant), role }, options)) {
        context.log(`[${tenant.slug}-${role}] ${message}`);
      }
    } catch {
      // The reason of the failure is told all the same; its log is a help, not a need.
    }
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
