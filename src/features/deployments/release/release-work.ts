import { type UnitLogLine, type UnitSpec, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { unitName } from '../../../adapters/runtimes/unit-name.ts';
import { messageOf } from '../../../lib/errors.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { DeploymentDependencies, Work } from '../dependencies.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import { planUnits, runtimeRelease } from '../plan.ts';
import { explain, explaining } from './explain-failure.ts';
import { runMigrations, scriptPaths } from './migrations.ts';

/** Lines of a unit's log shown in the operation's when its health check fails. */
const lastLines = 30;

/** What is done with a release for a tenant, by whatever operation; each function may be called again after a crash. */
export interface ReleaseWork {
  /** Makes the release ready to run, where it is not. */
  build(release: LiveRelease, manifest: Manifest, work: Work): Promise<void>;
  /** The units a tenant should have for a release, in its present configuration. */
  unitsOf(tenant: Tenant, release: LiveRelease): Promise<UnitSpec[]>;
  /** Makes a release's units ready beside the live ones. */
  stage(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /**
   * Runs a release's migrations on the tenant's database, or where `environment` leads them; answers the scripts' paths.
   * @param options.onScript called with the name of each script before it is run
   * @throws Error naming the script that failed
   */
  migrate(
    tenant: Tenant,
    release: LiveRelease,
    work: Work,
    options?: { environment?: Readonly<Record<string, string>>; onScript?(name: string): void },
  ): Promise<string[]>;
  /**
   * Starts what was staged. @throws ExplainedError with its cause where one was found; what the runtime throws
   */
  activate(tenant: Tenant, work: Work): Promise<void>;
  /**
   * Writes the last lines of the live units' logs into the operation's, and answers the failure to throw: with its cause,
   * where one was found. Never throws.
   * @param since when the units were started, about: what is older is not about this failure
   */
  explainUnits(tenant: Tenant, error: unknown, work: Work, since: Date): Promise<unknown>;
}

export function createReleaseWork(
  dependencies: Pick<DeploymentDependencies, 'runtime' | 'environment' | 'settings'>,
): ReleaseWork {
  const { runtime, environment, settings } = dependencies;

  async function unitsOf(tenant: Tenant, release: LiveRelease): Promise<UnitSpec[]> {
    const facts = { environment: await environment.of(tenant, release), limits: await settings.limits() };
    return planUnits({ tenant, release, ...facts });
  }

  return {
    unitsOf,

    async build(release, { install }, work) {
      if (await runtime.hasRelease(release.key))
        work.log(`Release ${release.commit.slice(0, 12)} is ready, shared with other tenants`);
      const request = { ...runtimeRelease(release), units: release.units };
      await explaining(work, (heard) =>
        runtime.prepareRelease(install === undefined ? request : { ...request, install }, heard),
      );
    },

    async stage(tenant, release, work) {
      // What an earlier operation that could not be put back left beside the live units.
      await runtime.rollback(spaceOf(tenant), { log: () => undefined, signal: work.signal });
      for (const unit of await unitsOf(tenant, release)) {
        work.log(unitName(unit.tenant.slug, unit.role));
        await runtime.stage(unit, work);
      }
    },

    activate: (tenant, work) =>
      explaining(work, (heard) => runtime.activate(spaceOf(tenant), heard), {
        findHolder: async (port) => runtime.portHolder?.(port).catch(() => undefined),
      }),

    async migrate(tenant, release, work, { environment: other, onScript } = {}) {
      const { migrations } = await readManifest(release.checkout, runtime.needs);
      if (!migrations) return [];
      const units = (await unitsOf(tenant, release)).map((unit) => ({
        ...unit,
        environment: { ...unit.environment, ...other },
      }));
      const ready = Promise.resolve();
      await runMigrations(units, migrations, { runtime, ready, ...(onScript ? { onScript } : {}) }, work);
      return scriptPaths(migrations);
    },

    async explainUnits(tenant, error, { log, signal }, since) {
      const failing = unitRoles.filter((role) => messageOf(error).includes(unitName(tenant.slug, role)));
      const messages: string[] = [];
      for (const role of unitRoles) {
        try {
          const lines = runtime.logs({ tenant: spaceOf(tenant), role }, { lines: lastLines, follow: false, signal });
          for await (const line of lines) {
            const { message, time }: UnitLogLine & { time?: Date | undefined } = line;
            log(`[${unitName(tenant.slug, role)}] ${message}`);
            const isOfNow = time === undefined || time >= since;
            if (isOfNow && (failing.length === 0 || failing.includes(role))) messages.push(message);
          }
        } catch {
          // The failure is reported without the log as well.
        }
      }
      const portOf = { api: tenant.backendPort, frontend: tenant.frontendPort };
      const findOther = async (port: number) => {
        const holder = await runtime.portHolder?.(port).catch(() => undefined);
        return holder?.slug === tenant.slug ? undefined : holder;
      };
      return explain(error, messages, { findHolder: findOther, unitPorts: failing.map((role) => portOf[role]) });
    },
  };
}
