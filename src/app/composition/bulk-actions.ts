import { createHash } from 'node:crypto';
import { isOlderVersion, isVersionTag } from '../../adapters/git/versions.ts';
import type { Backups } from '../../features/backups/backups.ts';
import { failureState } from '../../features/backups/outcome.ts';
import type { Deployments } from '../../features/deployments/deployments.ts';
import { versionOf } from '../../features/deployments/operation.ts';
import type { Health } from '../../features/health/health.ts';
import type { BulkActions } from '../../features/services/bulk/bulk-operation.ts';
import type { Control } from '../../features/services/control.ts';
import { valuesFor } from '../../features/tenant-config/bulk-values.ts';
import type { TenantConfigs } from '../../features/tenant-config/tenant-config.ts';
import { deployedRelease, type TenantAdministration, type Tenants } from '../../features/tenants/tenants.ts';
import type { Upgrades } from '../../features/upgrades/upgrades.ts';
import { backoff, retry } from '../../lib/concurrency/retry.ts';
import { AppError, errorOf } from '../../lib/errors.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';

interface BulkActionsDeps {
  control: Pick<Control, 'start' | 'stop' | 'restart'>;
  engine: OperationEngine;
  tenants: Pick<Tenants, 'get'>;
  health: Pick<Health, 'check'>;
  deployments: Deployments;
  backups: Backups;
  upgrades: Upgrades;
  administration: TenantAdministration;
  configs: TenantConfigs;
}

/** How long a change of a configuration is repeated while others change it, too. */
const maxConfigureMs = 10_000;

/** What bulk operations do with one tenant. */
export function composeBulkActions(deps: BulkActionsDeps): BulkActions {
  const { control, engine, tenants, health, deployments, backups, upgrades, administration, configs } = deps;

  /** Begins an operation, unless an earlier attempt did, and waits for its end. */
  async function once(id: string, begin: () => Promise<unknown>): Promise<void> {
    if (!(await deployments.recorded([id])).has(id)) await begin();
    const record = (await engine.ended(id)?.catch(() => undefined)) ?? (await deployments.get(id));
    if (record.status === 'success') return;
    if (record.status === 'queued' || record.status === 'running')
      throw new AppError('shutting_down', `The manager is stopping; it resumes ${id} after its restart`);
    const code = failureState.safeParse(record.state).data?.failure;
    throw errorOf(
      code ?? (record.status === 'cancelled' ? 'invalid_state' : 'tenant_error'),
      record.error?.message ?? record.status,
    );
  }

  async function endOfUpgrade(id: string): Promise<void> {
    const outcome = await upgrades.outcome(id);
    if (outcome.status !== 'success') throw errorOf(outcome.code, outcome.summary);
  }

  /** The version to roll back to; missing: the last deployed one that is older than the current. @throws AppError not_deployed, invalid_state */
  async function versionBefore(tenantId: string, wanted: string | undefined): Promise<string> {
    const { version } = deployedRelease(await tenants.get(tenantId));
    if (wanted !== undefined) {
      if (version !== null && isVersionTag(wanted) && isOlderVersion(version, wanted))
        throw new AppError('invalid_state', `${wanted} is newer than the deployed ${version}`);
      return wanted;
    }
    if (version === null)
      throw new AppError('invalid_state', 'A branch or a commit is deployed: name the version as target_version');
    const { items } = await deployments.list(tenantId, { limit: 500, offset: 0 }, ['deploy', 'upgrade']);
    const former = items
      .flatMap(({ status, state }) => (status === 'success' ? (versionOf(state) ?? []) : []))
      .find((one) => isOlderVersion(one, version));
    if (former === undefined)
      throw new AppError('invalid_state', `No version older than ${version} was deployed before`);
    return former;
  }

  return {
    prepare(given) {
      const { config, ...parameters } = given;
      if (!config) return parameters;
      valuesFor(config, {});
      return { ...parameters, config: configs.sealValues(config) };
    },
    run: {
      start: ({ tenantId, actor }) => control.start(tenantId, actor),
      stop: ({ tenantId, actor }) => control.stop(tenantId, actor),
      restart: ({ tenantId, actor }) => control.restart(tenantId, actor),
      deploy({ bulkId, tenantId, actor, parameters: { target_version = null, target_ref = null } }) {
        const id = idOf(bulkId, tenantId);
        const unchanged = { skip_ssl: false, skip_proxy: false, skip_services: false, accept_data_loss: false };
        const request = { ...unchanged, target_version, target_ref };
        return once(id, () => deployments.deploy(tenantId, request, actor, { id }));
      },
      async upgrade({ bulkId, tenantId, actor, parameters: { target_version: targetVersion } }) {
        const id = idOf(bulkId, tenantId);
        const request = { targetVersion, backupDb: true, runMigrations: true, allowDowngrade: false };
        await upgrades.begin(tenantId, request, actor, { id });
        await endOfUpgrade(id);
      },
      async rollback({ bulkId, tenantId, actor, parameters }) {
        const id = idOf(bulkId, tenantId);
        if (!(await deployments.recorded([id])).has(id)) {
          const targetVersion = await versionBefore(tenantId, parameters.target_version ?? undefined);
          const request = { targetVersion, backupDb: true, runMigrations: true, allowDowngrade: true };
          await upgrades.begin(tenantId, request, actor, { id });
        }
        await endOfUpgrade(id);
      },
      backup({ bulkId, tenantId, actor }) {
        const id = idOf(bulkId, tenantId);
        return once(id, async () => {
          const work = await backups.create(tenantId, 'manual', actor, { id });
          // Its end is read from the record.
          work.done.catch(() => undefined);
        });
      },
      async check({ tenantId }) {
        deployedRelease(await tenants.get(tenantId));
        await health.check(tenantId);
      },
      tag: ({ tenantId, actor, parameters: { add_tags: addTags, remove_tags: removeTags } }) =>
        administration.update(tenantId, { addTags, removeTags }, actor),
      configure({ tenantId, actor, parameters }) {
        const values = parameters.config ? configs.openValues(parameters.config) : {};
        const change = async (): Promise<void> => {
          const { custom_env, revision } = await configs.get(tenantId);
          await configs.update(tenantId, valuesFor(values, custom_env), actor, revision);
        };
        // Another change came first: the values are added to what it left.
        const isTransient = (error: unknown): boolean => error instanceof AppError && error.code === 'invalid_state';
        return retry(change, { delaysMs: backoff(10, 500, maxConfigureMs), isTransient });
      },
    },
  };
}

/** The id of a tenant's operation in a bulk operation: always the same, so that it is not started again after a crash. */
function idOf(bulkId: string, tenantId: string): string {
  const hex = createHash('sha256').update(`${bulkId} ${tenantId}`).digest('hex');
  // UUID version 8: made by its application.
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
