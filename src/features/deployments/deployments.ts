import { statfs } from 'node:fs/promises';
import { isCommitId } from '../../adapters/git/commits.ts';
import type { UnitSpec } from '../../adapters/runtimes/runtime.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { OperationDefinition, OperationRecord } from '../../lib/operations/operation.ts';
import { deployedRelease, type LiveRelease, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { Actor, DeploymentDependencies, Work } from './dependencies.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { readManifest } from './manifest.ts';
import { type DeploymentInput, type DeploymentState, deploymentInput, deploymentState } from './operation.ts';
import { createReleaseCopies, type ReleaseCopies } from './release/release-copies.ts';
import { createReleaseWork, type ReleaseWork } from './release/release-work.ts';
import { deploymentSteps } from './steps.ts';
import { unknownRef } from './target.ts';

/** What a user asks for. */
export type DeployRequest = Omit<DeploymentInput, 'target_commit'>;

/** Deployments of tenants: asked for here, run by the operation engine. */
export interface Deployments {
  /**
   * @throws AppError validation_error without git_repo, not_found for a target_ref that the repository does not have,
   *   operation_in_progress, insufficient_storage, runtime_unavailable, git_error
   */
  deploy(
    tenantId: string,
    request: DeployRequest,
    actor: Actor,
  ): Promise<{ record: OperationRecord; estimatedDuration: number }>;
  /** What a deployment would do, without doing it. @throws AppError validation_error where the repository does not keep the contract */
  plan(tenantId: string, request: DeployRequest): Promise<DryRun & { estimatedDuration: number }>;
  /** @throws AppError not_found */
  get(id: string): Promise<OperationRecord>;
  list(tenantId: string, paging: Paging): Promise<Page<OperationRecord>>;
  /** @throws AppError not_found, invalid_state where it has ended or is a deletion */
  cancel(id: string, actor: Actor): Promise<void>;
  /** The units a tenant should have now, for its live release and present configuration. @throws AppError not_deployed */
  specsOf(tenant: Tenant): Promise<UnitSpec[]>;
  /** Runs the live version's migrations on the tenant's database as it is. @throws AppError not_deployed; Error naming the script */
  migrate(tenant: Tenant, work: Work): Promise<void>;
  /** The parts of a deployment that an upgrade does, too. */
  parts: Omit<ReleaseWork, 'build'> & {
    /** Brings a tag's files here, or those of the default branch's head where it is null. @throws AppError git_error; Error */
    copy(tenant: Tenant, version: string | null, context: Parameters<ReleaseCopies['copy']>[2]): Promise<void>;
    /** Makes a release that was copied ready to run. */
    build(release: LiveRelease, work: Work): Promise<void>;
    /** @throws AppError insufficient_storage saying how much is missing, and where */
    assertRoom(): Promise<void>;
  };
  collectGarbage(): Promise<string[]>;
  /** Removes the mirrors of repositories that are no tenant's any more. */
  collectMirrors(): Promise<string[]>;
  /** Removes records of deployments that ended before `date`. */
  removeEndedBefore(date: Date): Promise<void>;
  /** Which of these ids are those of deployments. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createDeployments(dependencies: DeploymentDependencies): Deployments {
  const { store, engine, tenants, runtime, settings, journal, clock } = dependencies;
  const copies = createReleaseCopies(dependencies);
  const releases = createReleaseWork(dependencies);
  engine.register(definition());

  function definition(): OperationDefinition<DeploymentInput, DeploymentState> {
    return {
      kind: 'deploy',
      steps: deploymentSteps(dependencies, copies, releases),
      parseInput: (value) => deploymentInput.parse(value),
      parseState: (value) => deploymentState.parse(value),
      async settle(context, { outcome, error }) {
        const tenant = await tenants.get(context.subject);
        const { release } = context.state;
        if (outcome === 'success' && release) {
          await tenants.recordDeployment(tenant.id, release, clock.now());
          if (!context.input.skip_proxy)
            await dependencies.sites.chooseSsl(tenant.id, { skipped: context.input.skip_ssl });
          if (!context.input.skip_services) {
            await runtime.commit(spaceOf(tenant));
            await tenants.setStatus(tenant.id, 'running');
          }
        } else if (tenant.deployed === null && (outcome === 'failed' || error?.notPutBack)) {
          await tenants.setStatus(tenant.id, 'error');
        } else if (tenant.deployed === null && outcome === 'cancelled') {
          // Also where an earlier one failed: nothing is left of either.
          await tenants.setStatus(tenant.id, 'pending');
        }
        await journal({
          level: outcome === 'failed' ? 'error' : 'info',
          category: 'deployment',
          message: `Deployment of ${release?.version ?? release?.commit.slice(0, 12) ?? tenant.slug}: ${outcome}`,
          tenant,
          details: { deployment_id: context.operationId, outcome, error, commit: release?.commit ?? null },
        });
        // Not part of the deployment: what fails here is tried again by the schedule.
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

  /** What a branch or commit names is looked up when it is asked for: who mistyped it learns so at once. */
  async function inputOf(tenantId: string, request: DeployRequest): Promise<DeploymentInput> {
    const { target_ref: ref } = request;
    if (ref === null) return { ...request, target_commit: null };
    const address = (await tenants.repositoryOf(tenantId)) ?? '';
    const refs = await dependencies.source.refs(address);
    if (refs.branches.has(ref)) return { ...request, target_commit: null };
    const id = ref.toLowerCase();
    const commit = isCommitId(id) ? await dependencies.source.findCommit(address, id, refs) : undefined;
    if (commit === undefined) throw unknownRef(ref);
    return { ...request, target_commit: commit };
  }

  async function assertRoom(): Promise<void> {
    const needed = await settings.minimumFreeBytes();
    const ours = await statfs(dependencies.dataDirectory);
    const places = [{ bytes: ours.bavail * ours.bsize, place: dependencies.dataDirectory }, await runtime.freeSpace()];
    for (const free of places) {
      if (!free || free.bytes >= needed) continue;
      const missing = Math.ceil((needed - free.bytes) / 1024 ** 2);
      throw new AppError('insufficient_storage', `Not enough room in ${free.place}: ${missing} MiB are missing`);
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
    async deploy(tenantId, request, actor) {
      const tenant = await assertDeployable(tenantId);
      await assertRoom();
      const input = await inputOf(tenantId, request);
      const estimatedDuration = await estimate(tenantId);
      const record = await engine.submit('deploy', tenantId, input);
      await journal({
        level: 'info',
        category: 'audit',
        message: `${actor.username} asked for a deployment`,
        tenant,
        details: { user_id: actor.userId, username: actor.username, deployment_id: record.id, ...input },
      });
      return { record, estimatedDuration };
    },

    async plan(tenantId, request) {
      const tenant = await assertDeployable(tenantId);
      const input = await inputOf(tenantId, request);
      const plan = await copies.keeping(() => dryRun(tenant, input, dependencies));
      return { ...plan, estimatedDuration: await estimate(tenantId) };
    },

    get,
    list: (tenantId, paging) => store.list(tenantId, paging),

    async cancel(id, actor) {
      const record = await get(id);
      // What is removed can't be put back.
      if (record.kind === 'delete') throw new AppError('invalid_state', 'The deletion of a tenant can’t be cancelled');
      if (!(await engine.cancel(id)))
        throw new AppError('invalid_state', `The deployment has ended: ${(await get(id)).status}`);
      await journal({
        level: 'info',
        category: 'audit',
        message: `${actor.username} cancelled a deployment`,
        tenant: await tenants.get(record.subject),
        details: { user_id: actor.userId, username: actor.username, deployment_id: id },
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
      async build(release, work) {
        await releases.build(release, await readManifest(release.checkout, runtime.needs), work);
      },
      assertRoom,
    },

    collectGarbage: copies.collectGarbage,
    collectMirrors: copies.collectMirrors,
    removeEndedBefore: store.removeEndedBefore,
    recorded: store.recorded,
  };
}

/** Seconds a first deployment takes where nothing is known yet. */
const withoutExperience = 60;

/** The median of past durations in whole seconds, at least 1; a default where there are none. */
function estimateSeconds(pastDurations: readonly number[]): number {
  if (pastDurations.length === 0) return withoutExperience;
  const sorted = [...pastDurations].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? withoutExperience;
  return Math.max(1, Math.round(middle));
}
