import { statfs } from 'node:fs/promises';
import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import { isCommitId } from '../../adapters/git/commits.ts';
import type { UnitSpec } from '../../adapters/runtimes/runtime.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { OperationDefinition, OperationRecord } from '../../lib/operations/operation.ts';
import { deployedRelease, type LiveRelease, type LostData, spaceOf, type Tenant } from '../tenants/tenant.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { readManifest } from './manifest.ts';
import {
  type DeploymentInput,
  type DeploymentState,
  type DeploymentsDeps,
  deploymentInput,
  deploymentState,
} from './operation.ts';
import { createReleaseCopies, type ReleaseCopies } from './release/release-copies.ts';
import { createReleaseWork, type ReleaseWork } from './release/release-work.ts';
import { deploymentSteps } from './steps.ts';
import type { DeploymentStore } from './store.ts';
import { unknownRef } from './target.ts';

export type DeployRequest = Omit<DeploymentInput, 'target_commit'>;

/** Deployments of tenants: submitted here, run by the operation engine. */
export interface DeploymentService {
  /**
   * @param options.id chosen by the caller
   * @throws AppError validation_error without git_repo, not_found for a target_ref that is not in the repository,
   *   operation_in_progress, insufficient_storage, runtime_unavailable, git_error
   */
  deploy(
    tenantId: string,
    request: DeployRequest,
    actor: Actor,
    options?: { id?: string },
  ): Promise<{ record: OperationRecord; estimatedDuration: number }>;
  /** What a deployment would do. @throws AppError validation_error if the repository violates the tenant contract */
  plan(tenantId: string, request: DeployRequest): Promise<DryRun & { estimatedDuration: number }>;
  /** @throws AppError not_found */
  get(id: string): Promise<OperationRecord>;
  /** The newest first. @param kinds missing: all */
  list(tenantId: string, paging: Paging, kinds?: readonly string[]): Promise<Page<OperationRecord>>;
  /** @throws AppError not_found, invalid_state if it has ended or is a deletion */
  cancel(id: string, actor: Actor): Promise<void>;
  /** The units a tenant should have now, for its live release and current configuration. @throws AppError not_deployed */
  specsOf(tenant: Tenant): Promise<UnitSpec[]>;
  /** Whether tenants' data is where it must be. */
  lostData: LostData;
  /** Makes the files of a release ready to run again where they were removed. @throws AppError git_error; Error */
  rebuild(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /** Runs the live version's migrations on the tenant's database. @throws AppError not_deployed; Error naming the script */
  migrate(tenant: Tenant, work: Work): Promise<void>;
  /** The parts of a deployment that upgrades reuse. */
  parts: Omit<ReleaseWork, 'build'> & {
    /** Copies a tag's files to the manager's disk; null: the head of the default branch. @throws AppError git_error; Error */
    copy(tenant: Tenant, version: string | null, context: Parameters<ReleaseCopies['copy']>[2]): Promise<void>;
    /** Makes a copied release ready to run. */
    build(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
    /** @throws AppError insufficient_storage with the missing space and its location */
    assertDiskSpace(): Promise<void>;
  };
  collectGarbage(): Promise<string[]>;
  /** Removes mirrors of repositories that no tenant uses. */
  collectMirrors(): Promise<string[]>;
  /** Removes records of deployments that ended before `date`. */
  removeEndedBefore(date: Date): Promise<void>;
  /** Which of these ids belong to deployments. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createDeploymentService(store: DeploymentStore, deps: DeploymentsDeps): DeploymentService {
  const { engine, tenants, runtime, settings, writeAuditLog, clock } = deps;
  const copies = createReleaseCopies(store, deps);
  const releases = createReleaseWork(deps);
  engine.register(definition());

  function definition(): OperationDefinition<DeploymentInput, DeploymentState> {
    return {
      kind: 'deploy',
      steps: deploymentSteps(deps, copies, releases),
      parseInput: (value) => deploymentInput.parse(value),
      parseState: (value) => deploymentState.parse(value),
      async settle(context, { outcome, error }) {
        const tenant = await tenants.get(context.subject);
        const { release } = context.state;
        if (outcome === 'success' && release) {
          await tenants.recordDeployment(tenant.id, release, clock.now());
          if (tenant.lostData !== null) await tenants.setLostData(tenant.id, null);
          if (!context.input.skip_proxy) await deps.sites.chooseSsl(tenant.id, { skipped: context.input.skip_ssl });
          if (!context.input.skip_services) {
            await runtime.commit(spaceOf(tenant));
            await tenants.setStatus(tenant.id, 'running');
          }
        } else if (tenant.deployed === null && (outcome === 'failed' || error?.notPutBack)) {
          await tenants.setStatus(tenant.id, 'error');
        } else if (tenant.deployed === null && outcome === 'cancelled') {
          // Even if an earlier deployment failed: both were rolled back completely.
          await tenants.setStatus(tenant.id, 'pending');
        }
        await writeAuditLog({
          level: outcome === 'failed' ? 'error' : 'info',
          category: 'deployment',
          message: `Deployment of ${release?.version ?? release?.commit.slice(0, 12) ?? tenant.slug}: ${outcome}`,
          tenant,
          details: { deployment_id: context.operationId, outcome, error, commit: release?.commit ?? null },
        });
        // Not part of the deployment: the schedule retries a failed collection.
        void copies.collectGarbage().catch(() => undefined);
      },
    };
  }

  async function assertDeployable(tenantId: string): Promise<Tenant> {
    const tenant = await tenants.get(tenantId);
    engine.assertIdle(tenantId);
    if ((await tenants.repositoryOf(tenantId)) === null) {
      throw new AppError('validation_error', 'git_repo: set the tenant’s git_repo before deploying it', {
        issues: [{ path: 'git_repo', message: 'Required for a deployment' }],
      });
    }
    const availability = await runtime.availability();
    if (!availability.available) throw new AppError('runtime_unavailable', availability.reason);
    return tenant;
  }

  /** Looks up a branch or commit when it is requested, so that a typing mistake is reported at once. */
  async function inputOf(tenantId: string, request: DeployRequest): Promise<DeploymentInput> {
    const { target_ref: ref } = request;
    if (ref === null) return { ...request, target_commit: null };
    const address = (await tenants.repositoryOf(tenantId)) ?? '';
    const refs = await deps.source.refs(address);
    if (refs.branches.has(ref)) return { ...request, target_commit: null };
    const id = ref.toLowerCase();
    const commit = isCommitId(id) ? await deps.source.findCommit(address, id, refs) : undefined;
    if (commit === undefined) throw unknownRef(ref);
    return { ...request, target_commit: commit };
  }

  async function assertDiskSpace(): Promise<void> {
    const needed = await settings.minimumFreeBytes();
    const { bavail, bsize } = await statfs(deps.dataDirectory);
    const disks = [{ bytes: bavail * bsize, place: deps.dataDirectory }, ...(await runtime.freeSpace())];
    for (const disk of disks) {
      if (disk.bytes >= needed) continue;
      const missing = Math.ceil((needed - disk.bytes) / 1024 ** 2);
      throw new AppError(
        'insufficient_storage',
        `Not enough disk space in ${disk.place}: free at least ${missing} MiB more`,
      );
    }
  }

  async function estimate(tenantId: string): Promise<number> {
    const own = await store.successes({ tenantId, kind: 'deploy', limit: 5 });
    const past = own.length > 0 ? own : await store.successes({ kind: 'deploy', limit: 20 });
    return estimateSeconds(
      past.flatMap(({ startedAt, finishedAt }) =>
        startedAt && finishedAt ? [(finishedAt.getTime() - startedAt.getTime()) / 1000] : [],
      ),
    );
  }

  async function get(id: string): Promise<OperationRecord> {
    const record = await store.find(id);
    if (!record) throw notFound('deployment', id);
    return record;
  }

  return {
    async deploy(tenantId, request, actor, { id } = {}) {
      const tenant = await assertDeployable(tenantId);
      if (!request.accept_data_loss) await deps.lostData.assertPresent(tenant, AbortSignal.timeout(dataCheckMs));
      await assertDiskSpace();
      const input = await inputOf(tenantId, request);
      const estimatedDuration = await estimate(tenantId);
      const record = await engine.submit('deploy', tenantId, { ...input, createdBy: actor.username }, {}, id);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${actor.username} requested a deployment`,
        tenant,
        details: { user_id: actor.userId, username: actor.username, deployment_id: record.id, ...input },
      });
      return { record, estimatedDuration };
    },

    async plan(tenantId, request) {
      const tenant = await assertDeployable(tenantId);
      const input = await inputOf(tenantId, request);
      const plan = await copies.keeping(() => dryRun(tenant, input, deps));
      return { ...plan, estimatedDuration: await estimate(tenantId) };
    },

    get,
    list: store.list,

    async cancel(id, actor) {
      const record = await get(id);
      // Removed files and data can't be restored.
      if (record.kind === 'delete') throw new AppError('invalid_state', 'The deletion of a tenant can’t be cancelled');
      if (!(await engine.cancel(id)))
        throw new AppError('invalid_state', `The deployment has ended: ${(await get(id)).status}`);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${actor.username} cancelled a deployment`,
        tenant: await tenants.get(record.subject),
        details: { user_id: actor.userId, username: actor.username, deployment_id: id },
      });
    },

    lostData: deps.lostData,

    async rebuild(tenant, release, work) {
      work.log(`The files of ${release.version ?? release.commit.slice(0, 12)} were removed: building them again`);
      const wanted = { kind: 'commit', commit: release.commit, named: release.ref ?? release.commit } as const;
      await copies.copy(tenant, wanted, {
        ...work,
        async save({ release: copied, manifest }) {
          await releases.build(tenant, copied, manifest, work);
        },
      });
    },

    specsOf: async (tenant) => releases.unitsOf(tenant, deployedRelease(tenant)),

    async migrate(tenant, work) {
      await releases.migrate(tenant, deployedRelease(tenant), work);
    },

    parts: {
      ...releases,
      copy: (tenant, version, context) =>
        copies.copy(tenant, version === null ? { kind: 'head' } : { kind: 'tag', tag: version }, context),
      async build(tenant, release, work) {
        await releases.build(tenant, release, await readManifest(release.checkout, runtime.needs), work);
      },
      assertDiskSpace,
    },

    collectGarbage: copies.collectGarbage,
    collectMirrors: copies.collectMirrors,
    removeEndedBefore: store.removeEndedBefore,
    recorded: store.recorded,
  };
}

/** How long a request waits for the database server. */
const dataCheckMs = 20_000;

/** Estimate for the first deployment, before any duration is known. */
const defaultEstimateSeconds = 60;

/** The median of past durations in whole seconds, at least 1; a default if there are none. */
function estimateSeconds(pastDurations: readonly number[]): number {
  if (pastDurations.length === 0) return defaultEstimateSeconds;
  const sorted = [...pastDurations].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? defaultEstimateSeconds;
  return Math.max(1, Math.round(middle));
}
