import { type UnitLogLine, type UnitSpec, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { unitName } from '../../../adapters/runtimes/unit-name.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../../lib/errors.ts';
import type { TenantConfigs } from '../../tenant-config/tenant-config.ts';
import { type LiveRelease, portOf, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import type { DeploymentsDeps } from '../operation.ts';
import { planUnits, runtimeRelease } from '../plan.ts';
import { explain, explaining } from './explain-failure.ts';
import { runMigrations, scriptPaths } from './migrations.ts';

/** Lines of each unit's log copied to the operation's log if the health check fails. */
const lastLines = 200;

/** Steps on a tenant's release, shared by operations; each function may be called again after a crash. */
export interface ReleaseWork {
  /** Builds a tenant's release unless it is ready to run. */
  build(tenant: Tenant, release: LiveRelease, manifest: Manifest, work: Work): Promise<void>;
  /** The units a tenant should have for a release, with its current configuration. */
  unitsOf(tenant: Tenant, release: LiveRelease): Promise<UnitSpec[]>;
  /** Prepares a release's units while the live ones keep running. */
  stage(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /**
   * Runs a release's migrations on the tenant's database, or on the one that `environment` names; returns the scripts' paths.
   * @param options.onScript called with the name of each script before it runs
   * @throws Error naming the script that failed
   */
  migrate(
    tenant: Tenant,
    release: LiveRelease,
    work: Work,
    options?: { environment?: Readonly<Record<string, string>>; onScript?(name: string): void },
  ): Promise<string[]>;
  /** Writes the environment file for a release. @param onBackup gets what `restoreEnvironment` needs, before the file changes */
  writeEnvironment(
    tenant: Tenant,
    release: LiveRelease,
    onBackup?: Parameters<TenantConfigs['writeEnvFile']>[2],
  ): Promise<void>;
  restoreEnvironment: TenantConfigs['restoreEnvFile'];
  /**
   * Starts the live release as it should be now: changed units as a new generation, to be committed or rolled back.
   * @throws as `activate`
   */
  bringBack(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /** Starts the staged units. @throws ExplainedError with the cause if one is found; what the runtime throws */
  activate(tenant: Tenant, work: Work): Promise<void>;
  /**
   * Copies the last lines of the live units' logs to the operation's log and returns the error to throw, with its cause if
   * one is found. Never throws.
   * @param started.since about when the units were started: older lines do not explain this failure
   * @param started.proxied whether the site must answer through the reverse proxy, too
   */
  explainUnits(
    tenant: Tenant,
    error: unknown,
    work: Work,
    started: { release: LiveRelease; since: Date; proxied: boolean },
  ): Promise<unknown>;
}

export function createReleaseWork(deps: DeploymentsDeps): ReleaseWork {
  const { runtime, configs, environmentOf, settings, diagnoseStarted } = deps;

  async function unitsOf(tenant: Tenant, release: LiveRelease): Promise<UnitSpec[]> {
    const facts = { environment: await environmentOf(tenant, release), limits: await settings.limits() };
    return planUnits({ tenant, release, ...facts });
  }

  async function stage(tenant: Tenant, release: LiveRelease, work: Work): Promise<void> {
    // An earlier operation whose rollback failed may have left staged units.
    await runtime.rollback(spaceOf(tenant), { log: () => undefined, signal: work.signal }).catch(async (error) => {
      work.signal.throwIfAborted();
      if ((await runtime.pendingChanges()).includes(tenant.id)) throw error;
      // All that failed is the start of the units that are about to be replaced: that may be why they are.
      work.log(`The services to replace cannot be started: ${messageOf(error)}`);
    });
    for (const unit of await unitsOf(tenant, release)) {
      work.log(unitName(unit.tenant.slug, unit.role));
      await runtime.stage(unit, work);
    }
  }

  const activate = (tenant: Tenant, work: Work): Promise<void> =>
    explaining(work, (recorded) => runtime.activate(spaceOf(tenant), recorded), {
      findHolder: async (port) => runtime.portHolder?.(port).catch(() => undefined),
    });

  return {
    unitsOf,

    async build(tenant, release, { install }, work) {
      if (await runtime.hasRelease(release.key))
        work.log(`Release ${release.commit.slice(0, 12)} is already built and shared with other tenants`);
      const access = deps.imageAccessOf(tenant);
      const request = { ...runtimeRelease(release), units: release.units, access, requestedBy: spaceOf(tenant) };
      await explaining(work, (recorded) =>
        runtime.prepareRelease(install === undefined ? request : { ...request, install }, recorded),
      );
    },

    stage,
    activate,

    async writeEnvironment(tenant, release, onBackup) {
      await configs.writeEnvFile(tenant, await environmentOf(tenant, release), onBackup);
    },
    restoreEnvironment: configs.restoreEnvFile,

    async bringBack(tenant, release, work) {
      const units = await unitsOf(tenant, release);
      const live = await Promise.all(units.map((unit) => runtime.isLive(unit)));
      if (live.every(Boolean)) {
        for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
        return;
      }
      await stage(tenant, release, work);
      await activate(tenant, work);
    },

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

    async explainUnits(tenant, error, { log, signal }, { release, since, proxied }) {
      const isKnown = error instanceof AppError || error instanceof ExplainedError;
      // Before the logs are read: a unit that is started again and again shows its state now.
      const found = isKnown ? undefined : await diagnoseStarted(tenant, release, { proxied }).catch(() => undefined);
      const failing = unitRoles.filter((role) => messageOf(error).includes(unitName(tenant.slug, role)));
      const messages: string[] = [];
      for (const role of unitRoles) {
        try {
          const lines = runtime.logs({ tenant: spaceOf(tenant), role }, { lines: lastLines, follow: false, signal });
          for await (const line of lines) {
            const { message, time }: UnitLogLine & { time?: Date | undefined } = line;
            log(`[${unitName(tenant.slug, role)}] ${message}`);
            const isRecent = time === undefined || time >= since;
            if (isRecent && (failing.length === 0 || failing.includes(role))) messages.push(message);
          }
        } catch {
          // The failure is reported even without the log.
        }
      }
      if (found) return new ExplainedError(found, messageOf(error), { cause: error });
      const findOther = async (port: number) => {
        const holder = await runtime.portHolder?.(port).catch(() => undefined);
        return holder?.slug === tenant.slug ? undefined : holder;
      };
      return explain(error, messages, {
        findHolder: findOther,
        unitPorts: failing.map((role) => portOf(tenant, role)),
      });
    },
  };
}
