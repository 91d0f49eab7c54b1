import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapConcurrently } from '../../lib/concurrency/map-concurrently.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../lib/errors.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Settings } from '../settings/settings.ts';
import { deployedRelease, type LiveRelease, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { Tenants } from '../tenants/tenants.ts';
import { syntheticCheckRoutes } from './routes.ts';
import { failureOf, isDue, isRelevant, type RunDeps, runChecks } from './run.ts';
import type { SyntheticChecksBody } from './schema.ts';
import { type CheckRun, createRunStore } from './store.ts';

export interface SyntheticChecksDeps extends RunDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  settings: Pick<Settings, 'read'>;
  engine: Pick<OperationEngine, 'isBusy' | 'assertIdle'>;
  tenants: Pick<Tenants, 'get' | 'find' | 'each'>;
  tenantApi: Pick<TenantApi, 'send' | 'probe' | 'health'>;
}

/** What the last run of the checks found. */
export interface SyntheticFinding {
  status: 'up' | 'down';
  /** The first check that failed, and its step. */
  check: string | null;
  step: string | null;
  error: string | undefined;
  durationMs: number;
  at: Date;
}

/** Proves a release by the steps of a user that its manifest names. @throws ExplainedError with check, step and reason */
export type ProveUserSteps = (
  tenant: Tenant,
  release: LiveRelease,
  work: Work,
  options: { proxied: boolean },
) => Promise<void>;

/** Checks of tenants with the steps of a user that their manifests name. */
export interface SyntheticChecks {
  routes: Route[];
  prove: ProveUserSteps;
  /** The last result for the release; undefined without checks and once it is outdated. */
  finding(tenantId: string, release: LiveRelease): Promise<SyntheticFinding | undefined>;
  /** Runs the checks of a group's tenants that are due. @returns the number of checked tenants */
  runDue(group: CheckedTenants, signal: AbortSignal): Promise<number>;
  /** Ends the requested runs. */
  close(): Promise<void>;
}

/** Tenants in trouble may hang: they are checked apart, so that the others do not wait for them. */
export type CheckedTenants = 'well' | 'troubled';
/** Tenants of a group that are checked at the same time. */
const concurrency = 4;
/** Timeout of the requests that look whether a tenant answers at all, in ms. */
const probeTimeoutMs = 5_000;

export function createSyntheticChecks(deps: SyntheticChecksDeps): SyntheticChecks {
  const { settings, engine, tenants, clock, events, logger } = deps;
  const runs = createRunStore(deps.store);
  /** Runs in progress: a second request for a tenant joins the first. */
  const current = new Map<string, Promise<void>>();
  const closing = new AbortController();

  events.on('tenant_status', ({ tenant_id, status }) => {
    if (status === 'deleted') runs.forget(tenant_id);
  });

  async function lastRun(tenantId: string, release: LiveRelease): Promise<CheckRun | undefined> {
    const run = await runs.of(tenantId);
    return run?.releaseKey === release.key && release.checks?.length ? run : undefined;
  }

  async function run(tenant: Tenant, release: LiveRelease, options: { proxied: boolean; signal: AbortSignal }) {
    const results = await runChecks(tenant, release, deps, options);
    const status = results.some((one) => one.status === 'failed') ? ('failed' as const) : ('passed' as const);
    return { tenantId: tenant.id, releaseKey: release.key, at: clock.now(), status, results };
  }

  /** Runs the checks of a tenant that nothing disturbs; a result of a tenant that changed in the meantime is discarded. */
  async function runUndisturbed(tenant: Tenant, signal: AbortSignal, requested: boolean): Promise<void> {
    const release = deployedRelease(tenant);
    const before = await lastRun(tenant.id, release);
    const found = await run(tenant, release, { proxied: true, signal });
    const now = await tenants.find(tenant.id);
    if (!now || now.status !== tenant.status || now.deployed?.key !== release.key || engine.isBusy(tenant.id)) return;
    await runs.save(found);
    if (requested || before?.status !== found.status)
      events.publish({ type: 'synthetic_checks', tenant_id: tenant.id, status: found.status });
  }

  function runOnce(tenant: Tenant, signal: AbortSignal, requested: boolean): Promise<void> {
    const running = current.get(tenant.id);
    if (running) return running;
    const started = runUndisturbed(tenant, signal, requested).finally(() => current.delete(tenant.id));
    current.set(tenant.id, started);
    return started;
  }

  /** The health check reports a tenant that does not answer at all. */
  async function answers(tenant: Tenant, { units }: LiveRelease, signal: AbortSignal): Promise<boolean> {
    const address = (role: 'api' | 'frontend', port: number) =>
      deps.runtime.address({ tenant: spaceOf(tenant), role }, port);
    const options = { timeoutMs: probeTimeoutMs, signal };
    const [api, frontend] = await Promise.all([
      address('api', tenant.backendPort).then((found) => deps.tenantApi.health(found, units.api.health, options)),
      address('frontend', tenant.frontendPort).then((found) =>
        deps.tenantApi.probe(found, units.frontend.health, options),
      ),
    ]);
    return api.status === 'up' && frontend.status === 'up';
  }

  async function* dueTenants(group: CheckedTenants, minutes: number, signal: AbortSignal): AsyncGenerator<Tenant> {
    for await (const tenant of tenants.each({ deployedOnly: true })) {
      if (signal.aborted) return;
      if (tenant.status !== 'running' || !tenant.deployed?.checks?.length || engine.isBusy(tenant.id)) continue;
      const last = await lastRun(tenant.id, tenant.deployed);
      const isTroubled = tenant.healthStatus === 'unhealthy' || last?.status === 'failed';
      if (isTroubled === (group === 'troubled') && isDue(last, minutes, clock.now())) yield tenant;
    }
  }

  async function body(tenantId: string): Promise<SyntheticChecksBody> {
    const { deployed } = await tenants.get(tenantId);
    const last = deployed ? await lastRun(tenantId, deployed) : undefined;
    return {
      tenant_id: tenantId,
      checks: (deployed?.checks ?? []).map(({ name, steps, cleanup }) => ({
        name,
        steps: [...steps, ...cleanup].map((step, at) => ({
          name: step.name,
          unit: step.unit,
          method: step.method,
          path: step.path,
          cleanup: at >= steps.length,
        })),
      })),
      last_run: last ? { at: last.at.toISOString(), status: last.status, results: last.results } : null,
      interval_minutes: await settings.read('synthetic_check_interval'),
      on_deploy: await settings.read('synthetic_checks_on_deploy'),
    };
  }

  async function runRequested(tenantId: string, actor: Actor): Promise<SyntheticChecksBody> {
    const tenant = await tenants.get(tenantId);
    if (!deployedRelease(tenant).checks?.length)
      throw new AppError('invalid_state', `The running release of ${tenant.slug} has no checks in its tenant.yaml`);
    engine.assertIdle(tenantId);
    if (tenant.status === 'stopped')
      throw new AppError('invalid_state', `${tenant.slug} is stopped. Start it, then run its checks.`);
    await runOnce(tenant, closing.signal, true);
    const answer = await body(tenantId);
    await deps.writeAuditLog({
      level: 'info',
      category: 'audit',
      message: `${actor.username} ran the checks with a user’s steps: ${answer.last_run?.status ?? 'not finished'}`,
      tenant,
      details: { user_id: actor.userId, username: actor.username },
    });
    return answer;
  }

  return {
    routes: syntheticCheckRoutes({ body, run: runRequested }),

    async prove(tenant, release, work, { proxied }) {
      if (!release.checks?.length || !(await settings.read('synthetic_checks_on_deploy'))) return;
      const found = await run(tenant, release, { proxied, signal: work.signal });
      for (const { name, route, status, duration_ms: ms } of found.results)
        work.log(`Check “${name}”${route === 'proxy' ? ' through the proxy' : ''}: ${status} after ${ms} ms`);
      const failure = failureOf(found.results);
      if (failure)
        throw new ExplainedError({ code: 'check_failed', title: failure.text, remedy: null }, failure.detail);
      await runs.save(found);
    },

    async finding(tenantId, release) {
      const last = await lastRun(tenantId, release);
      if (!last || !isRelevant(last, await settings.read('synthetic_check_interval'), clock.now())) return undefined;
      const failure = failureOf(last.results);
      return {
        status: last.status === 'passed' ? 'up' : 'down',
        check: failure?.check ?? null,
        step: failure?.step ?? null,
        error: failure?.text,
        durationMs: last.results.reduce((sum, one) => sum + one.duration_ms, 0),
        at: last.at,
      };
    },

    async runDue(group, signal) {
      const minutes = await settings.read('synthetic_check_interval');
      let checked = 0;
      if (minutes === 0) return checked;
      await mapConcurrently(dueTenants(group, minutes, signal), concurrency, async (tenant) => {
        try {
          if (!(await answers(tenant, deployedRelease(tenant), signal))) return;
          await runOnce(tenant, signal, false);
          checked += 1;
        } catch (error) {
          if (!signal.aborted)
            logger.warn({ tenant: tenant.id, message: messageOf(error) }, 'the checks of a tenant could not be run');
        }
      });
      return checked;
    },

    async close() {
      closing.abort(new AppError('shutting_down', 'The manager is stopping'));
      await Promise.allSettled(current.values());
    },
  };
}
